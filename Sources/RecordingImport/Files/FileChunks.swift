import Glibc

/// A file, a piece at a time.
final class FileChunks {
    private static let chunkBytes = 1 << 17

    private let path: String
    private let descriptor: CInt
    private let onRead: (Int) -> Void

    /// Opens the regular file at `path`, which must be there to be read again; `onRead` is called with the bytes of each piece.
    init(path: String, onRead: @escaping (Int) -> Void = { _ in }) throws(ImportProblem) {
        _ = try Self.size(of: path)
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        self.path = path
        self.onRead = onRead
        if descriptor < 0 { throw ImportProblem(String(cString: strerror(errno)), file: path) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The next piece; empty at the end.
    func next() throws(ImportProblem) -> [UInt8] {
        var failure: CInt = 0
        let chunk = [UInt8](unsafeUninitializedCapacity: Self.chunkBytes) { buffer, count in
            var result = read(descriptor, buffer.baseAddress, buffer.count)
            while result < 0, errno == EINTR { result = read(descriptor, buffer.baseAddress, buffer.count) }
            if result < 0 { failure = errno }
            count = max(0, result)
        }
        if failure != 0 { throw ImportProblem(String(cString: strerror(failure)), file: path) }
        onRead(chunk.count)
        return chunk
    }

    /// The first 64 KiB of the file at `path`, or all of it.
    static func beginning(of path: String) throws(ImportProblem) -> [UInt8] {
        Array(try FileChunks(path: path).next().prefix(1 << 16))
    }

    /// The bytes of a regular file; throws for what is none.
    static func size(of path: String) throws(ImportProblem) -> Int {
        var status = stat()
        guard stat(path, &status) == 0 else { throw ImportProblem(String(cString: strerror(errno)), file: path) }
        if status.st_mode & S_IFMT == S_IFDIR { throw ImportProblem("is a folder", file: path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ImportProblem("is no regular file: an export is read twice, so it must be one", file: path)
        }
        return Int(status.st_size)
    }
}
