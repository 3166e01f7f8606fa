import Glibc

/// The lines of a file or of standard input, one at a time.
struct LineReader: ~Copyable {
    /// A longer line is cut: a message is at most 256 KiB, in base64 a third more.
    private static let maximumLineBytes = 1 << 20

    /// The name for error messages.
    let name: String
    /// The number of the line read last, from 1.
    private(set) var number = 0

    private let file: UnsafeMutablePointer<FILE>
    private let closes: Bool
    private var buffer: UnsafeMutablePointer<CChar>?
    private var capacity = 0

    /// Opens `path`; `-` is standard input.
    init(path: String) throws(GatewayError) {
        if path == "-" {
            guard let standardInput = fdopen(dup(STDIN_FILENO), "r") else { throw GatewayError("standard input is closed") }
            (name, file, closes) = ("standard input", standardInput, true)
            return
        }
        guard let opened = fopen(path, "r") else { throw GatewayError("\(path): \(String(cString: strerror(errno)))") }
        var status = stat()
        if fstat(fileno(opened), &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            fclose(opened)
            throw GatewayError("\(path): is a folder")
        }
        (name, file, closes) = (path, opened, true)
    }

    deinit {
        free(buffer)
        if closes { fclose(file) }
    }

    /// The next line without its newline; nil at the end.
    mutating func next() -> [UInt8]? {
        let count = getline(&buffer, &capacity, file)
        guard count > 0, let buffer else { return nil }
        number += 1
        let bytes = UnsafeRawBufferPointer(start: buffer, count: min(count, Self.maximumLineBytes))
        return bytes.last == UInt8(ascii: "\n") ? Array(bytes.dropLast()) : Array(bytes)
    }
}
