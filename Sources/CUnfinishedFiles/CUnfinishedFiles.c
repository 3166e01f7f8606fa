#include "CUnfinishedFiles.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

// A text is never freed: the handler may be reading it on another thread.
static _Atomic(char *) files[16];
static const int count = sizeof files / sizeof *files;

static void on_signal(int number) {
    for (int index = 0; index < count; index++) {
        const char *path = atomic_load(&files[index]);
        if (path) unlink(path);
    }
    // Pending until the handler returns; then it ends the process as if there had been no handler.
    signal(number, SIG_DFL);
    raise(number);
}

static void install(void) {
    const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU, SIGXFSZ};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigfillset(&action.sa_mask);
    for (size_t index = 0; index < sizeof ends / sizeof *ends; index++) {
        struct sigaction before;
        // One that is ignored, as under nohup, or handled, does not end the process.
        if (sigaction(ends[index], NULL, &before) != 0 || before.sa_handler != SIG_DFL) continue;
        sigaction(ends[index], &action, NULL);
    }
}

int unfinished_file_add(const char *path) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
    char *copy = strdup(path);
    for (int index = 0; copy && index < count; index++) {
        char *none = NULL;
        if (atomic_compare_exchange_strong(&files[index], &none, copy)) return index;
    }
    return -1;
}

void unfinished_file_forget(int number) {
    if (number >= 0) atomic_store(&files[number], NULL);
}
