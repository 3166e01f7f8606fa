import Glibc

/// A file that a command writes: a new one for its owner alone, another with the mode of the one it replaces; or standard output, or whatever else is no regular file.
package final class OutputFile: Sendable {
    /// What becomes of a regular file that is there.
    package enum Existing: Sendable {
        /// It stays as it is until ``close()``; without that, it stays.
        case isReplaced
        /// Opening fails.
        case isRefused
    }

    /// Whether a file is there that ``close()`` replaces.
    package let replaces: Bool

    private let path: String
    /// What is written until ``close()``; nil where the path itself is written.
    private let unfinished: UnfinishedFile?
    /// Owned. The C library locks it for every call.
    nonisolated(unsafe) private let file: UnsafeMutablePointer<FILE>
    /// Whether `file` is closed: set by ``close()``, after which nothing else may be called.
    nonisolated(unsafe) private var isClosed = false

    /// Opens the file at `path`; `-` is standard output.
    package init(path: String, existing: Existing) throws(GatewayError) {
        self.path = path == "-" ? "standard output" : path
        var status = stat()
        let isThere = path != "-" && stat(path, &status) == 0
        let isRegular = isThere && status.st_mode & S_IFMT == S_IFREG
        if isRegular, existing == .isRefused {
            throw GatewayError("\(path): exists already, and is not overwritten; 'fathom record >> FILE' adds to a recording")
        }
        var link = stat()
        // The reason why the link cannot be followed, which may be another than that the file is missing.
        let reason = errno
        if path != "-", !isThere, lstat(path, &link) == 0 {
            errno = reason
            throw reason == ENOENT ? GatewayError("\(path): is a link to a file that is not there") : .system(path)
        }
        replaces = isRegular
        let descriptor: Int32
        if path == "-" {
            (unfinished, descriptor) = (nil, dup(STDOUT_FILENO))
        } else if isThere, !isRegular {
            (unfinished, descriptor) = (nil, Glibc.open(path, O_WRONLY | O_CLOEXEC))
        } else if existing == .isRefused {
            (unfinished, descriptor) = (nil, Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600))
        } else {
            // The path without links, so that a link stays one.
            let new = try UnfinishedFile(for: Self.resolved(path) ?? path)
            (unfinished, descriptor) = (new, new.descriptor)
        }
        guard descriptor >= 0, let file = fdopen(descriptor, "w") else { throw .system(self.path) }
        if isRegular { fchmod(descriptor, status.st_mode & 0o777) }
        self.file = file
    }

    deinit {
        guard !isClosed else { return }
        fclose(file)
        unfinished?.remove()
    }

    /// Adds bytes.
    package func write(_ bytes: [UInt8]) throws(GatewayError) {
        if fwrite(bytes, 1, bytes.count, file) != bytes.count { throw .system(path) }
    }

    /// Flushes what was added to the system.
    package func flush() throws(GatewayError) {
        if fflush(file) != 0 { throw .system(path) }
    }

    /// Ends the file, and puts it in the place of one that is replaced.
    package func close() throws(GatewayError) {
        isClosed = true
        guard fclose(file) == 0, unfinished?.publish() ?? true else {
            let error = GatewayError.system(path)
            unfinished?.remove()
            throw error
        }
    }

    /// A path without links; nil where there is nothing.
    package static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
