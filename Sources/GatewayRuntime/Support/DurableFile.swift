import Glibc

/// Writes to files that survive a loss of power.
enum DurableFile {
    /// The end of the name of a file that is being written.
    static let unfinished = ".new"

    /// Writes `bytes` to an open file and synchronizes it; false when the system refuses, with its error number.
    static func write(_ bytes: [UInt8], to file: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            // A disk that becomes full takes a part, and has an error number for the rest only.
            guard count > 0 || (count < 0 && errno == EINTR) else { return false }
            rest = rest.dropFirst(max(0, count))
        }
        return fsync(file) == 0
    }

    /// Makes the file `name` in `folder`, or replaces it as a whole. When this returns, it survives a loss of power.
    static func replace(_ name: String, in folder: String, by bytes: [UInt8]) throws(GatewayError) {
        let path = "\(folder)/\(name)"
        let new = path + Self.unfinished
        unlink(new)
        let file = try StateFiles.open(new, O_WRONLY | O_CREAT | O_EXCL)
        defer { close(file) }
        guard write(bytes, to: file), rename(new, path) == 0, syncFolder(folder) else {
            let error = GatewayError.system(path)
            unlink(new)
            throw error
        }
    }

    /// Synchronizes a folder: a new or renamed file survives only with it. False when the system refuses, with its error number.
    static func syncFolder(_ path: String) -> Bool {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return false }
        defer { close(folder) }
        return fsync(folder) == 0
    }
}
