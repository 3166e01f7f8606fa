import Foundation

/// Keeps other commands from changing files, which are read, changed and replaced: of two at once, one would undo the other.
enum FolderLock {
    /// Calls `body` once no other command holds the folders of `files`, whatever links lead to them. The folders are locked, as the files
    /// themselves are replaced; the locks end with the process too.
    static func hold<Result>(_ files: [String], _ body: () throws(SetupError) -> Result) throws(SetupError) -> Result {
        var descriptors: [Int32] = []
        defer { for descriptor in descriptors { close(descriptor) } }
        let folders = files.map { URL(filePath: $0).resolvingSymlinksInPath().deletingLastPathComponent().path }
        // In one order, as two commands would otherwise wait for each other.
        for folder in Set(folders).sorted() {
            let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { throw Files.system(folder) }
            descriptors.append(descriptor)
            while flock(descriptor, LOCK_EX) != 0 { guard errno == EINTR else { throw Files.system(folder) } }
        }
        return try body()
    }
}
