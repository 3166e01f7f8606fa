/// Finds what the files and folders of a request are.
struct FormatChoice {
    /// A file or a folder of one format.
    struct Export: Equatable {
        var path: String
        var format: ImportFormat
    }

    /// What is at a path.
    struct Search {
        /// What is to be read.
        fileprivate(set) var found: [Export] = []
        /// The files of a folder that are of no format, with what they are where that is known.
        fileprivate(set) var passedOver: [String] = []
        /// The files of a folder that may hold recordings and cannot be read.
        fileprivate(set) var problems: [ImportProblem] = []
    }

    /// The format that was said; nil for none.
    let format: ImportFormat?
    /// Whether columns were named, so that the content may be of no known export.
    let isMapped: Bool

    /// What is to be read at `path`, and what of a folder is not; throws where nothing is.
    func exports(at path: String) throws(ImportProblem) -> Search {
        var result = Search()
        guard try Folder.isFolder(path) else {
            result.found = [Export(path: path, format: try chosen(path))]
            return result
        }
        try search(path, below: "", &result)
        if result.found.isEmpty, result.problems.isEmpty {
            // Where it is said of a folder, the reason is its own.
            guard format != .sensorLogger else {
                result.found = [Export(path: path, format: .sensorLogger)]
                return result
            }
            let files = result.passedOver.isEmpty ? "" : ": \(Self.listed(result.passedOver))"
            throw ImportProblem("holds no file of a format that is read\(files)", file: path)
        }
        return result
    }

    /// The names of files for a sentence.
    static func listed(_ names: [String]) -> String {
        names.sorted().prefix(100).joined(separator: ", ") + (names.count > 100 ? ", and \(names.count - 100) more" : "")
    }

    private func search(_ path: String, below name: String, _ result: inout Search) throws(ImportProblem) {
        let isExport = (format ?? .sensorLogger) == .sensorLogger && SensorLoggerImport.isExport(path, isSaid: format != nil)
        if let damage = try FilePlace.damage(in: path) { result.problems.append(damage) }
        if isExport { result.found.append(Export(path: path, format: .sensorLogger)) }
        for entry in try Folder.names(path) {
            let (inner, innerName) = (Folder.join(path, entry), name.isEmpty ? entry : "\(name)/\(entry)")
            if Folder.isLinkedFolder(inner) {
                result.passedOver.append(innerName)
                continue
            }
            do throws(ImportProblem) {
                if try Folder.isFolder(inner) {
                    try search(inner, below: innerName, &result)
                } else if isExport ? try !SensorLoggerImport.isOwn(inner) : true {
                    try choose(inner, name: innerName, &result)
                }
            } catch {
                result.problems.append(error)
            }
        }
    }

    private func choose(_ path: String, name: String, _ result: inout Search) throws(ImportProblem) {
        let beginning = try FileChunks.beginning(of: path)
        if let recognized = Self.recognized(beginning, path) {
            if isMapped || format?.reader.recognizes(beginning, name: path) ?? true {
                return result.found.append(Export(path: path, format: format ?? recognized))
            }
            return result.passedOver.append("\(name) (\(recognized.reads))")
        }
        guard let content = ForeignContent(beginning) else {
            if let format, format != .sensorLogger { return result.found.append(Export(path: path, format: format)) }
            return result.passedOver.append(name)
        }
        if content.holdsFiles { throw ImportProblem(content.reason, file: path) }
        result.passedOver.append(content.name.map { "\(name) (\($0))" } ?? name)
    }

    /// The format of a file; throws what it is where that is not read.
    private func chosen(_ path: String) throws(ImportProblem) -> ImportFormat {
        let beginning = try FileChunks.beginning(of: path)
        let recognized = Self.recognized(beginning, path)
        if let format {
            if format.reader.recognizes(beginning, name: path) { return format }
            if let recognized, !isMapped {
                throw ImportProblem(
                    "is \(recognized.reads): leave out --format, or say --format \(recognized.rawValue)", file: path)
            }
            if let content = ForeignContent(beginning) { throw ImportProblem(content.reason, file: path) }
            return format
        }
        if let recognized { return recognized }
        throw ImportProblem(
            ForeignContent(beginning)?.reason
                ?? "is of no format that is found by its content; say --format, and --columns for a table with other names",
            file: path)
    }

    private static func recognized(_ beginning: [UInt8], _ path: String) -> ImportFormat? {
        ImportFormat.allCases.first { $0.reader.recognizes(beginning, name: path) }
    }
}
