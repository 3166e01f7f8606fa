/// Finds what the files and folders of a request are.
struct FormatChoice {
    /// A file or a folder of one format.
    struct Export: Equatable {
        var path: String
        var format: ImportFormat
    }

    /// The format that was said; nil for none.
    let format: ImportFormat?
    /// Whether columns were named, so that the content may be of no known export.
    let isMapped: Bool

    /// What is to be read at `path`, and the files of a folder that are not; throws where nothing is.
    func exports(at path: String) throws(ImportProblem) -> (found: [Export], passedOver: [String]) {
        guard try Folder.isFolder(path) else { return ([Export(path: path, format: try chosen(path))], []) }
        var found: [Export] = []
        var passedOver: [String] = []
        try search(path, below: "", &found, &passedOver)
        guard !found.isEmpty else { throw ImportProblem("holds no file of a format that is read", file: path) }
        return (found, passedOver)
    }

    private func search(
        _ path: String, below name: String, _ found: inout [Export], _ passedOver: inout [String]
    ) throws(ImportProblem) {
        let mayBeExport = format == nil || format == .sensorLogger
        // Where it is said of a folder, its files are not asked.
        if mayBeExport, (format != nil && name.isEmpty) || SensorLoggerImport.isExport(path) {
            return found.append(Export(path: path, format: .sensorLogger))
        }
        for entry in try Folder.names(path) {
            let (inner, innerName) = (Folder.join(path, entry), name.isEmpty ? entry : "\(name)/\(entry)")
            if Folder.isLinkedFolder(inner) {
                passedOver.append(innerName)
            } else if (try? Folder.isFolder(inner)) == true {
                try search(inner, below: innerName, &found, &passedOver)
            } else if let format = try? chosen(inner) {
                found.append(Export(path: inner, format: format))
            } else {
                passedOver.append(innerName)
            }
        }
    }

    /// The format of a file; throws what it is where that is not read.
    private func chosen(_ path: String) throws(ImportProblem) -> ImportFormat {
        let beginning = try FileChunks.beginning(of: path)
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let recognized = ImportFormat.allCases.first { $0.reader.recognizes(beginning, name: name) }
        if let format {
            if format.reader.recognizes(beginning, name: name) { return format }
            if let recognized, !isMapped {
                throw ImportProblem(
                    "is \(recognized.reads): leave out --format, or say --format \(recognized.rawValue)", file: path)
            }
            if let reason = ForeignContent.reason(beginning) { throw ImportProblem(reason, file: path) }
            return format
        }
        if let recognized { return recognized }
        throw ImportProblem(
            ForeignContent.reason(beginning)
                ?? "is of no format that is found by its content; say --format, and --columns for a table with other names",
            file: path)
    }
}
