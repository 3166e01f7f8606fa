import Glibc

/// Small text files, read whole.
package enum TextFile {
    /// The properties by which a change of a file is detected.
    package struct Stamp: Sendable, Equatable {
        /// The file itself: another one may have been moved into its place.
        package var inode: UInt
        /// Its size in bytes.
        package var size: Int
        /// When it was written, in nanoseconds since 1970.
        package var modified: Int
    }

    /// The most bytes of a file; a frame that was set aside is the largest.
    private static let mostBytes = 32_000_000

    /// The text of the file at `path`.
    package static func read(_ path: String) throws(GatewayError) -> String {
        String(decoding: try bytes(path), as: UTF8.self)
    }

    /// The bytes of the file at `path`.
    static func bytes(_ path: String) throws(GatewayError) -> [UInt8] {
        guard let file = fopen(path, "r") else { throw GatewayError("\(path): \(String(cString: strerror(errno)))") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 {
            bytes += chunk[..<count]
            // Not by its size: a device has none, and may have no end.
            if bytes.count > mostBytes { throw GatewayError("\(path): has more than \(mostBytes) bytes") }
        }
        if ferror(file) != 0 { throw GatewayError("\(path): \(String(cString: strerror(errno)))") }
        return bytes
    }

    /// The present state of the file at `path`; nil when there is none.
    package static func stamp(_ path: String) -> Stamp? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Stamp(
            inode: UInt(status.st_ino), size: Int(status.st_size),
            modified: status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec)
    }
}
