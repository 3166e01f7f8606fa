/// Plans the import of a dive log.
struct DiveImport: FileImport {
    /// Logs may begin with lines of settings that are no comments.
    private static let headerLines = 100

    let request: ImportRequest
    let output: ImportPlan.Output

    /// The plan for the file at `path`.
    func plan(_ path: String) throws(ImportProblem) -> ImportPlan {
        guard request.streams?.contains(.submersion) ?? true else {
            throw ImportProblem("only submersion is read from dive logs", file: path)
        }
        let (reader, first) = try survey(path)
        return try ImportPlan(
            log: path, stream: .submersion, clock: reader.clock, first: first, request: request, output: output, open: open)
    }

    private func open(_ table: Table) throws(ImportProblem) -> DiveReader {
        let binding = try table.readHeader(within: Self.headerLines) { header throws(ImportProblem) in
            try DiveBinding(header, requested: request.diveColumns, needsTime: request.interval == nil)
        }
        return DiveReader(binding, interval: request.interval, skippedRows: request.skippedRows)
    }

    /// The reader and the time of the first reading, in microseconds; throws why no row can be read.
    private func survey(_ path: String) throws(ImportProblem) -> (DiveReader, first: Int64) {
        let table = try output.table(path)
        var reader = try open(table)
        var fault: ImportProblem?
        while let row = try table.next() {
            do throws(RowFault) {
                guard let reading = try reader.reading(of: row) else { continue }
                for note in reader.clock.notes(start: request.start) { output.note("\(path): \(note)") }
                return (reader, reading.micros)
            } catch {
                fault = fault ?? ImportProblem(error.detail, file: path, line: row.line, column: error.column)
            }
        }
        throw fault ?? ImportProblem("no row holds a depth, a pressure or a temperature", file: path)
    }
}
