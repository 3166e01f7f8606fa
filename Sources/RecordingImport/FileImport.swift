/// Plans the import of files of one format.
protocol FileImport {
    /// Whether a file that begins with these bytes (the first 64 KiB, or all of it) and has that path is of the format.
    static func recognizes(_ beginning: [UInt8], name: String) -> Bool

    /// An import as `request` wants it.
    init(request: ImportRequest, output: ImportPlan.Output)

    /// What the file or folder at `path` calls its device; nil where it does not.
    func ownDevice(_ path: String) -> String?

    /// The plan for the file or folder at `path`; throws why it is not read.
    func plan(_ path: String) throws(ImportProblem) -> ImportPlan
}

extension FileImport {
    /// Nil: most formats do not name a device.
    func ownDevice(_ path: String) -> String? { nil }
}
