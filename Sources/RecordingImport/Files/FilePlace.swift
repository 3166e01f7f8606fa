import Archives
import Glibc

/// Where the bytes of a path are.
///
/// A file in another has the path of that one before its own: `export.zip/Headphone.csv`, `recording.json/Headphone.csv`.
struct FilePlace {
    private enum Kind {
        case plain
        case gz
        case entry(String)
        case sensor(String, in: String?)
    }

    /// The regular file.
    let file: String
    private let kind: Kind

    /// The place of `path`; throws where there is nothing.
    init(_ path: String) throws(ImportProblem) {
        var status = stat()
        guard stat(path, &status) != 0, errno == ENOTDIR, let (file, rest) = Self.split(path) else {
            file = path
            kind = ArchiveReader.isCompressed(try Self.beginning(of: try PlainFile(path: path), bytes: 2)) ? .gz : .plain
            return
        }
        self.file = file
        guard ArchiveReader.recognizes(try Self.beginning(of: try PlainFile(path: file))) else {
            kind = .sensor(rest, in: nil)
            return
        }
        let names = try UnpackedFile.names(in: file) ?? []
        if names.contains(rest) {
            kind = .entry(rest)
        } else if let name = names.first(where: { rest.hasPrefix($0 + "/") }) {
            kind = .sensor(String(rest.dropFirst(name.count + 1)), in: name)
        } else {
            throw ImportProblem("is not in the archive", file: path)
        }
    }

    /// Opens it.
    func open() throws(ImportProblem) -> any ByteSource {
        switch kind {
        case .plain: return try PlainFile(path: file)
        case .gz: return try UnpackedFile(nil, in: file)
        case .entry(let name): return try UnpackedFile(name, in: file)
        case .sensor(let name, nil): return SensorTable(name, of: try PlainFile(path: file))
        case .sensor(let name, let json?): return SensorTable(name, of: try UnpackedFile(json, in: file))
        }
    }

    /// The first bytes of a source.
    static func beginning(of source: any ByteSource, bytes: Int = 1 << 16) throws(ImportProblem) -> [UInt8] {
        var beginning: [UInt8] = []
        while beginning.count < bytes {
            let piece = try source.next()
            if piece.isEmpty { break }
            beginning += piece
        }
        return Array(beginning.prefix(bytes))
    }

    /// The file that stands at the beginning of `path`, and the rest of the path.
    private static func split(_ path: String) -> (file: String, rest: String)? {
        var end = path.endIndex
        while let slash = path[..<end].lastIndex(of: "/") {
            let file = String(path[..<slash])
            var status = stat()
            if stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
                return (file, String(path[path.index(after: slash)...]))
            }
            end = slash
        }
        return nil
    }

    /// The names of the files in the one at `path`: those of an archive, and the sensors of an export of Sensor Logger as JSON; nil where it is
    /// neither.
    static func names(in path: String) throws(ImportProblem) -> [String]? {
        let place = try FilePlace(path)
        switch place.kind {
        case .sensor: return nil
        case .plain, .gz:
            let beginning = try beginning(of: try PlainFile(path: path))
            if ArchiveReader.recognizes(beginning), let names = try UnpackedFile.names(in: path) {
                if names.isEmpty { throw ImportProblem("is an archive without a file", file: path) }
                return names
            }
        case .entry: break
        }
        guard SensorTable.recognizes(try beginning(of: try place.open())) else { return nil }
        let names = try SensorTable.names(in: try place.open())
        return names.isEmpty ? nil : names
    }
}
