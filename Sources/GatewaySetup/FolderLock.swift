import Foundation

/// Keeps other commands from changing files, which are read, changed and replaced: of two at once, one would undo the other.
///
/// The folders of the files are locked, as the files themselves are replaced. The lock ends with the process too.
final class FolderLock {
    private var descriptors: [Int32] = []

    /// Waits for the locks of the folders of `files`, whatever links lead to them.
    init(of files: [String]) throws(SetupError) {
        let folders = files.map { URL(filePath: $0).resolvingSymlinksInPath().deletingLastPathComponent().path }
        // In one order, as two commands would otherwise wait for each other.
        for folder in Set(folders).sorted() {
            let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { throw Files.system(folder) }
            descriptors.append(descriptor)
            while flock(descriptor, LOCK_EX) != 0 { guard errno == EINTR else { throw Files.system(folder) } }
        }
    }

    deinit { for descriptor in descriptors { close(descriptor) } }
}
