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
        /// The names of the files in it.
        case folder([String])
        case sensor(String, in: String?)
    }

    private let path: String
    /// The regular file.
    let file: String
    private let kind: Kind

    /// The place of `path`; throws where there is nothing.
    init(_ path: String) throws(ImportProblem) {
        self.path = path
        var status = stat()
        guard stat(path, &status) != 0, errno == ENOTDIR, let (file, rest) = Self.split(path) else {
            file = path
            kind = ArchiveReader.isCompressed(try Self.beginning(of: try PlainFile(path: path), bytes: 2)) ? .gz : .plain
            return
        }
        self.file = file
        guard ArchiveReader.recognizes(try Self.beginning(of: try PlainFile(path: file))),
            let names = try UnpackedFile.list(file).names
        else {
            kind = .sensor(rest, in: nil)
            return
        }
        let inner = names.filter { $0.hasPrefix(rest + "/") }.map {
            String(decoding: $0.utf8.dropFirst(rest.utf8.count + 1), as: UTF8.self)
        }
        if names.contains(rest) {
            kind = .entry(rest)
        } else if !inner.isEmpty, Self.isOrdinary(rest) {
            kind = .folder(inner)
        } else if let name = names.first(where: { rest.hasPrefix($0 + "/") }) {
            kind = .sensor(String(rest.dropFirst(name.count + 1)), in: name)
        } else {
            throw ImportProblem("is not in the archive", file: path)
        }
    }

    /// Whether it is one sensor of several in a file.
    var isSensor: Bool { if case .sensor = kind { true } else { false } }

    /// Opens it; UTF-16 is given as UTF-8. `onFault` is called with what is damaged in a file of readings of several sensors.
    func open(onFault: @escaping (ImportProblem) -> Void = { _ in }) throws(ImportProblem) -> any ByteSource {
        switch kind {
        case .plain: return TextBytes(try PlainFile(path: file))
        case .gz: return TextBytes(try UnpackedFile(nil, in: file))
        case .entry(let name): return TextBytes(try UnpackedFile(name, in: file))
        case .sensor(let name, let json):
            let bytes: any ByteSource
            if let json { bytes = try UnpackedFile(json, in: file) } else { bytes = try Self(file).open() }
            let place = json.map { Folder.join(file, $0) } ?? file
            return SensorTable(name, of: TextBytes(bytes)) { onFault(ImportProblem($0, file: place)) }
        case .folder: throw ImportProblem("is a folder", file: path)
        }
    }

    /// The first bytes of a source.
    static func beginning(of source: any ByteSource, bytes: Int = 1 << 16) throws(ImportProblem) -> [UInt8] {
        Array(try beginning(of: source, atLeast: bytes).prefix(bytes))
    }

    /// The first pieces of a source, which together have `count` bytes or more where the source has them.
    static func beginning(of source: any ByteSource, atLeast count: Int) throws(ImportProblem) -> [UInt8] {
        var beginning: [UInt8] = []
        while beginning.count < count {
            do throws(ImportProblem) {
                let piece = try source.next()
                if piece.isEmpty { break }
                beginning += piece
            } catch {
                // What is damaged is reported when it is read.
                guard !beginning.isEmpty else { throw error }
                break
            }
        }
        return beginning
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

    /// The names in the file at `path`: of an archive and of a folder in one those of the files and folders in it, of an export of Sensor Logger as
    /// JSON those of its sensors; nil where it is neither.
    static func names(in path: String) throws(ImportProblem) -> [String]? {
        let place = try FilePlace(path)
        switch place.kind {
        case .sensor: return nil
        case .folder(let names): return outermost(names)
        case .plain, .gz:
            let beginning = try beginning(of: try PlainFile(path: path))
            if ArchiveReader.recognizes(beginning), let names = try UnpackedFile.list(path).names {
                if names.isEmpty { throw ImportProblem("is an archive without a file", file: path) }
                return outermost(names)
            }
        case .entry: break
        }
        guard SensorTable.recognizes(try beginning(of: try place.open())) else { return nil }
        let names = try SensorTable.names(in: try place.open())
        return names.isEmpty ? nil : names
    }

    /// Why of the archive at `path` not all is listed; nil where it is whole, or none.
    static func damage(in path: String) throws(ImportProblem) -> ImportProblem? {
        guard !Folder.isDirectory(path), let place = try? FilePlace(path), place.file == path,
            ArchiveReader.recognizes(try beginning(of: try PlainFile(path: path)))
        else { return nil }
        return try UnpackedFile.list(path).damage
    }

    /// The first parts of paths, each once; a path that leads elsewhere is one part.
    private static func outermost(_ names: [String]) -> [String] {
        var found: [String] = []
        var known: Set<String> = []
        for name in names {
            let part = isOrdinary(name) ? String(name.prefix { $0 != "/" }) : name
            if known.insert(part).inserted { found.append(part) }
        }
        return found
    }

    private static func isOrdinary(_ name: String) -> Bool {
        name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { !["", ".", ".."].contains($0) }
    }
}
