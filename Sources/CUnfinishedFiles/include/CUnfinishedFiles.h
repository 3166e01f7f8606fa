#ifndef CUNFINISHEDFILES_H
#define CUNFINISHEDFILES_H

/// Has the file at `path` removed where a signal ends the process, as Ctrl-C does. Gives what `unfinished_file_forget` takes; below
/// 0 where too many are known.
int unfinished_file_add(const char *_Nonnull path);

/// Leaves a file where it is from now on. Nothing happens with a number below 0.
void unfinished_file_forget(int number);

#endif
