import GatewayConfiguration
import Glibc

/// How the files of a state directory are opened: each is a regular file of one name, for its owner alone.
///
/// Links are not followed. Another user, such as root with `fathom erase`, would otherwise change a file elsewhere, which whoever may
/// write in the directory has chosen.
enum StateFiles {
    /// The names of all files, up to the first dot.
    private static let names = Set(
        GatewayConfiguration.Lanes.Name.allCases.map(\.rawValue) + [
            "lock", "claim", "clock", "believe", "replica", "importing", "handedover", "homeassistant", "outbound",
        ])
    private static let databaseSuffixes = ["", "-wal", "-shm", "-journal"]
    private static let rightsOfOthers: mode_t = 0o077
    /// O_PATH, which Swift's Glibc leaves out: a descriptor that names a file without opening it.
    private static let pathOnly: Int32 = 0o10_000_000

    // MARK: Files

    /// Opens the file at `path` with these flags. One that is made belongs to the owner of the folder.
    static func open(_ path: String, _ flags: Int32) throws(GatewayError) -> Int32 {
        // Opening a FIFO would wait for a writer.
        let file = Glibc.open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw errno == ELOOP ? linkError(path) : .system(path) }
        do throws(GatewayError) {
            try settle(file, path)
        } catch {
            close(file)
            throw error
        }
        return file
    }

    /// The bytes of the file at `path`.
    static func bytes(_ path: String) throws(GatewayError) -> [UInt8] {
        let file = try open(path, O_RDONLY)
        defer { close(file) }
        return try TextFile.bytes(of: file, path)
    }

    /// The text of the file at `path`.
    static func text(_ path: String) throws(GatewayError) -> String { String(decoding: try bytes(path), as: UTF8.self) }

    /// Makes the database at `path` where there is none, before SQLite would for others too, and examines its files.
    static func makeDatabase(_ path: String) throws(GatewayError) {
        let file = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 || errno == EEXIST else { throw .system(path) }
        defer { if file >= 0 { close(file) } }
        try requireDatabase(path)
    }

    /// Throws where one of the files of the database at `path` may not be used.
    static func requireDatabase(_ path: String) throws(GatewayError) {
        for suffix in databaseSuffixes { try settle(path + suffix) }
    }

    /// Takes the rights of others from the files in the folder at `path`: copies that were put back may have them.
    static func settleAll(in path: String) throws(GatewayError) {
        // The folder itself may be a link, as systemd makes it.
        for name in try Folder.names(in: "\(path)/.") where names.contains(String(name.prefix { $0 != "." })) {
            try settle("\(path)/\(name)")
        }
    }

    /// Takes the rights of others from the file at `path`, where there is one.
    private static func settle(_ path: String) throws(GatewayError) {
        // Closing another kind of descriptor would end the locks that SQLite has on the file.
        let file = Glibc.open(path, pathOnly | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return }
            throw .system(path)
        }
        defer { close(file) }
        try settle(file, path)
    }

    /// Throws where an open file is none of a state directory. Gives it to the owner of the folder where root has made it, and takes
    /// the rights of others.
    private static func settle(_ file: Int32, _ path: String) throws(GatewayError) {
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .system(path) }
        if status.st_mode & S_IFMT == S_IFLNK { throw linkError(path) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw GatewayError("\(path): is no regular file") }
        guard status.st_nlink <= 1 else {
            throw GatewayError("\(path): has \(status.st_nlink) names (hard links), and may have one")
        }
        // The name of an open file: O_PATH permits neither fchmod nor fchown.
        let name = "/proc/self/fd/\(file)"
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        var owner = stat()
        if geteuid() == 0, status.st_uid == 0, stat(folder, &owner) == 0, owner.st_uid != 0 {
            _ = chown(name, owner.st_uid, owner.st_gid)
        }
        // A file system may have neither owners nor modes.
        if status.st_mode & rightsOfOthers != 0 { _ = chmod(name, status.st_mode & 0o700) }
    }

    private static func linkError(_ path: String) -> GatewayError {
        GatewayError("\(path): is a symbolic link, which is not followed in a state directory")
    }

    // MARK: Folders

    /// Makes the folder `name` in the state directory at `path` where there is none. It belongs to the owner of the directory: another
    /// user may make it.
    static func makeFolder(_ name: String, in path: String) throws(GatewayError) {
        let parent = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { throw .system(path) }
        defer { close(parent) }
        let isNew = mkdirat(parent, name, 0o700) == 0
        guard isNew || errno == EEXIST else { throw .system("\(path)/\(name)") }
        let folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else { throw folderError("\(path)/\(name)") }
        defer { close(folder) }
        guard isNew else { return }
        var (status, owner) = (stat(), stat())
        guard fstat(folder, &status) == 0, fstat(parent, &owner) == 0 else { throw .system("\(path)/\(name)") }
        guard owner.st_uid != status.st_uid else { return }
        guard fchown(folder, owner.st_uid, owner.st_gid) == 0 else { throw .system("\(path)/\(name)") }
    }

    /// Why what is at `path` is no folder of a state directory, by the last error number.
    static func folderError(_ path: String) -> GatewayError {
        errno == ENOTDIR || errno == ELOOP
            ? GatewayError("\(path): is no folder, or a symbolic link, which is not followed in a state directory")
            : .system(path)
    }
}
