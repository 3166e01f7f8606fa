/// Plans the import of files of one format.
protocol FileImport {
    /// An import as `request` wants it.
    init(request: ImportRequest, output: ImportPlan.Output)

    /// The plan for the file or folder at `path`; throws why it is not read.
    func plan(_ path: String) throws(ImportProblem) -> ImportPlan
}
