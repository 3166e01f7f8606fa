internal import Foundation

/// The files that belong to the targets.
package enum FuzzFiles {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    /// The producers that the targets configure.
    static let producers = folder.appendingPathComponent("producers.yaml").path

    /// The folder of the corpus of `target`.
    package static func corpus(of target: FuzzTarget) -> String {
        folder.appendingPathComponent("../Fuzz/corpus/\(target.rawValue)").standardizedFileURL.path
    }

    /// The folder of this process, in memory where the system has such a file system.
    private static let temporary = {
        let memory = "/dev/shm"
        let folder = access(memory, W_OK) == 0 ? memory : NSTemporaryDirectory()
        let path = "\(folder)/fathom-fuzz-\(getpid())"
        require(mkdir(path, 0o700) == 0 || errno == EEXIST, "\(path) cannot be made")
        return path
    }()

    /// The path of a file of this process with `content`, which the next call replaces; `name` is its last component.
    static func temporary(_ name: String, _ content: [UInt8]) -> String {
        let path = "\(temporary)/\(name)"
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        require(
            file >= 0 && write(file, content, content.count) == content.count && close(file) == 0, "\(path) cannot be written")
        return path
    }
}
