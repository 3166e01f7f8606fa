internal import FoundationEssentials
internal import Glibc

/// Files as text.
enum TextFile {
    /// The text of a file, or why it cannot be read, as the rest of a sentence that starts with the file.
    static func read(_ path: String) throws(SettingFault) -> String {
        // A FIFO without a writer blocks an opening that may block.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw SettingFault(message: whyUnreadable(path)) }
        defer { close(file) }
        _ = fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK)
        guard let bytes = OpenFile.bytes(of: file, most: YAMLLimits.bytes) else {
            throw SettingFault(
                message: errno == EFBIG
                    ? "has more than \(YAMLLimits.bytes) bytes, which is the most that is read" : whyUnreadable(path))
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw SettingFault(message: "is not UTF-8 text") }
        return text
    }

    private static func whyUnreadable(_ path: String) -> String {
        var isFolder = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return "does not exist" }
        return isFolder ? "is a folder" : "cannot be read"
    }

    static func isReadable(_ path: String) -> Bool { FileManager.default.isReadableFile(atPath: path) }

    /// Whether there is no such file in a folder that is there.
    static func isMissing(_ path: String) -> Bool {
        guard access(path, F_OK) != 0, errno == ENOENT else { return false }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        return access(folder, F_OK) == 0
    }

    /// A path that, if relative, starts at the folder of a file.
    static func resolve(_ path: String, besides file: String) -> String {
        guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
        return String(file[...slash]) + path
    }
}

/// Files that are open.
package enum OpenFile {
    /// The bytes of a file from the place of its descriptor on; nil with `errno` where they cannot be read, which is `EFBIG` where there are more
    /// than `most`. The size of a file is not asked: a device has none, and may have no end.
    package static func bytes(of file: Int32, most: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(file, into: &chunk), count != 0 {
            guard count > 0 else { return nil }
            bytes += chunk[..<count]
            guard bytes.count <= most else {
                errno = EFBIG
                return nil
            }
        }
        return bytes
    }

    /// Reads as `read` does, and waits where nothing is there yet: standard input may be another's, who lets nothing wait.
    package static func read(_ file: Int32, into chunk: inout [UInt8]) -> Int {
        while true {
            let count = Glibc.read(file, &chunk, chunk.count)
            guard count < 0, errno == EINTR || errno == EAGAIN else { return count }
            var waiting = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            if errno == EAGAIN { poll(&waiting, 1, -1) }
        }
    }
}
