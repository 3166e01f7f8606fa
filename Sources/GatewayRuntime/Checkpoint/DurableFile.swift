import Glibc

/// Writes to files that survive a loss of power.
enum DurableFile {
    /// Writes `bytes` to an open file and synchronizes it; false when the system refuses, with its error number.
    static func write(_ bytes: [UInt8], to file: Int32) -> Bool {
        Glibc.write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0
    }

    /// Synchronizes a folder: a new or renamed file survives only with it. False when the system refuses, with its error number.
    static func syncFolder(_ path: String) -> Bool {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return false }
        defer { close(folder) }
        return fsync(folder) == 0
    }
}
