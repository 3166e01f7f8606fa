import GatewayConfiguration
import Glibc

/// Small text files, read whole.
package enum TextFile {
    /// The properties by which a change of a file is detected.
    package struct Stamp: Sendable, Equatable {
        /// The file itself: another one may have been moved into its place.
        package var inode: UInt
        /// Its size in bytes.
        package var size: Int
        /// When it was written, in nanoseconds since 1970, less what overflows after 2262: only compared.
        package var modified: Int
    }

    /// The most bytes that are read: a device such as /dev/zero has no end.
    private static let mostBytes = 256 << 20

    /// The text of the file at `path`.
    package static func read(_ path: String) throws(GatewayError) -> String {
        String(decoding: try bytes(path), as: UTF8.self)
    }

    /// The bytes of the file at `path`.
    static func bytes(_ path: String) throws(GatewayError) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .system(path) }
        defer { close(file) }
        return try bytes(of: file, path)
    }

    /// The bytes of the file at `path` from the place of its descriptor on.
    static func bytes(of file: Int32, _ path: String) throws(GatewayError) -> [UInt8] {
        guard let bytes = OpenFile.bytes(of: file, most: mostBytes) else {
            throw errno == EFBIG ? GatewayError("\(path): has more than \(mostBytes) bytes") : .system(path)
        }
        return bytes
    }

    /// The present state of the file at `path`; nil when there is none.
    package static func stamp(_ path: String) -> Stamp? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Stamp(
            inode: UInt(status.st_ino), size: Int(status.st_size),
            modified: status.st_mtim.tv_sec &* 1_000_000_000 &+ status.st_mtim.tv_nsec)
    }
}
