import Archives
import Glibc
import Synchronization

/// Pieces of bytes.
protocol ByteSource: AnyObject {
    /// The next piece; empty at the end.
    func next() throws(ImportProblem) -> [UInt8]
}

/// A file, a piece at a time: also one in an archive, a gz unpacked, and the readings of one sensor in an export as JSON.
///
/// Of a file that is damaged what stands before is read.
final class FileChunks {
    private let source: any ByteSource
    private let onRead: (Int) -> Void
    private let onDamage: (ImportProblem) -> Void
    private var (isBegun, isDamaged) = (false, false)

    /// Opens the file at `path`, which must be there to be read again; `onRead` is called with the bytes of each piece, `onDamage` with what is damaged
    /// behind the first piece.
    init(
        path: String, onRead: @escaping (Int) -> Void = { _ in }, onDamage: @escaping (ImportProblem) -> Void = { _ in }
    ) throws(ImportProblem) {
        source = try FilePlace(path).open(onFault: onDamage)
        (self.onRead, self.onDamage) = (onRead, onDamage)
    }

    /// The next piece; empty at the end.
    func next() throws(ImportProblem) -> [UInt8] {
        guard !isDamaged else { return [] }
        do throws(ImportProblem) {
            let chunk = try source.next()
            isBegun = true
            onRead(chunk.count)
            return chunk
        } catch {
            guard isBegun else { throw error }
            isDamaged = true
            var damage = error
            damage.reason += "; what stands before is read"
            onDamage(damage)
            return []
        }
    }

    /// The first 64 KiB of the file at `path`, or all of it.
    static func beginning(of path: String) throws(ImportProblem) -> [UInt8] {
        try FilePlace.beginning(of: FilePlace(path).open())
    }

    /// The bytes of the file at `path`, of one in another those of the other; throws for what is none.
    static func size(of path: String) throws(ImportProblem) -> Int { try PlainFile.size(of: FilePlace(path).file) }
}

/// The bytes of a regular file as they are.
final class PlainFile: ByteSource {
    private static let chunkBytes = 1 << 17

    private let path: String
    private let descriptor: CInt

    /// Opens the file at `path`.
    init(path: String) throws(ImportProblem) {
        _ = try Self.size(of: path)
        descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        self.path = path
        if descriptor < 0 { throw ImportProblem(String(cString: strerror(errno)), file: path) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func next() throws(ImportProblem) -> [UInt8] {
        var failure: CInt = 0
        let chunk = [UInt8](unsafeUninitializedCapacity: Self.chunkBytes) { buffer, count in
            var result = read(descriptor, buffer.baseAddress, buffer.count)
            while result < 0, errno == EINTR { result = read(descriptor, buffer.baseAddress, buffer.count) }
            if result < 0 { failure = errno }
            count = max(0, result)
        }
        if failure != 0 { throw ImportProblem(String(cString: strerror(failure)), file: path) }
        return chunk
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

/// The bytes of one file in an archive, or of a gz unpacked.
final class UnpackedFile: ByteSource {
    private let path: String
    private let archive: ArchiveReader

    /// Opens the file `name` in the archive at `path`, or without a name what is compressed.
    init(_ name: String?, in path: String) throws(ImportProblem) {
        self.path = name.map { Folder.join(path, $0) } ?? path
        archive = try Self.archive(path)
        do throws(ArchiveReader.Failure) {
            while let entry = try archive.next() {
                if name.map({ $0 == Self.path(entry) }) ?? archive.isSingle { return }
            }
        } catch {
            throw ImportProblem("\(error)", file: path)
        }
        throw ImportProblem(name == nil ? "is an archive with files" : "is not in the archive", file: self.path)
    }

    func next() throws(ImportProblem) -> [UInt8] {
        do throws(ArchiveReader.Failure) {
            return try archive.read()
        } catch {
            throw ImportProblem("\(error)", file: path)
        }
    }

    /// What an archive holds.
    struct List {
        /// The paths of its files, without hidden ones; nil where it is none, but a gz of one file.
        fileprivate(set) var names: [String]?
        /// Why it is listed up to there only; nil where it is whole.
        fileprivate(set) var damage: ImportProblem?
    }

    /// What the archive at `path` holds; throws where nothing of it can be listed.
    static func list(_ path: String) throws(ImportProblem) -> List {
        let identity = Identity(path)
        if let last = lastList.withLock({ $0 }), last.identity == identity { return last.list }
        let list = try read(path)
        lastList.withLock { $0 = (identity, list) }
        return list
    }

    /// The archive that was listed last: each file in it is looked up several times, and to list a tar.gz is to unpack it.
    private static let lastList = Mutex<(identity: Identity, list: List)?>(nil)

    /// What changes when another file is at a path, or when the file changes.
    private struct Identity: Equatable {
        let path: String
        let numbers: [Int]

        init(_ path: String) {
            var status = stat()
            let isThere = stat(path, &status) == 0
            self.path = path
            numbers =
                isThere
                ? [Int(bitPattern: UInt(status.st_ino)), status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec] : []
        }
    }

    private static func read(_ path: String) throws(ImportProblem) -> List {
        let archive = try archive(path)
        var list = List()
        var (names, known): ([String], Set<String>) = ([], [])
        do throws(ArchiveReader.Failure) {
            while let entry = try archive.next() {
                if archive.isSingle { return list }
                let name = Self.path(entry)
                let isHidden = name.split(separator: "/").contains { $0.hasPrefix(".") || $0 == "__MACOSX" }
                if !isHidden, known.insert(name).inserted { names.append(name) }
            }
        } catch {
            let problem = ImportProblem("\(error)", file: path)
            guard !names.isEmpty else { throw problem }
            list.damage = problem
            list.damage?.reason += "; the files before that place are read"
        }
        list.names = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return list
    }

    /// The path of a file in an archive without the folder in which that was made.
    private static func path(_ entry: ArchiveReader.Entry) -> String {
        entry.name.hasPrefix("./") ? String(entry.name.dropFirst(2)) : entry.name
    }

    private static func archive(_ path: String) throws(ImportProblem) -> ArchiveReader {
        let size = try PlainFile.size(of: path)
        do throws(ArchiveReader.Failure) {
            return try ArchiveReader(path: path, packedBytes: Int64(size))
        } catch {
            throw ImportProblem("\(error)", file: path)
        }
    }
}
