/// Plans the import of a dive log.
struct DiveImport {
    /// Logs may begin with lines of settings that are no comments.
    private static let headerLines = 100
    /// The device time of a log's beginning, in microseconds: no device sends at 0.
    private static let lead: Int64 = 1_000_000

    let request: ImportRequest
    let output: ImportPlan.Output

    /// The plan for the file at `path`.
    func plan(_ path: String) throws(ImportProblem) -> ImportPlan {
        guard request.streams?.contains(.submersion) ?? true else {
            throw ImportProblem("only submersion is read from dive logs", file: path)
        }
        let (reader, first) = try survey(path)
        var hash = ContentHash()
        try hash.add(file: path)
        let zero = reader.isAbsolute ? first / 1_000_000 * 1_000_000 - Self.lead : -Self.lead
        let epoch = reader.isAbsolute ? zero : request.start.map { Int64(($0 * 1e6).rounded()) - Self.lead }
        let boot = RecordedBoot(device: request.device, boot: hash.boot, epoch: epoch, start: first - zero)
        return ImportPlan(
            statuses: [boot.online(wrist: request.wrist)],
            sources: [
                FrameSource.Plan(
                    file: path, stream: .submersion, boot: boot, start: first - zero,
                    open: { () throws(ImportProblem) in
                        let (table, opened) = try open(try output.countedTable(path))
                        var reader = opened
                        reader.epoch = zero
                        return (table, reader)
                    })
            ])
    }

    private func open(_ table: Table) throws(ImportProblem) -> (Table, DiveReader) {
        let binding = try table.readHeader(within: Self.headerLines) { header throws(ImportProblem) in
            try DiveBinding(header, requested: request.diveColumns, needsTime: request.interval == nil)
        }
        return (table, DiveReader(binding, interval: request.interval, skippedRows: request.skippedRows))
    }

    /// The reader and the time of the first reading, in microseconds; throws why no row can be read.
    private func survey(_ path: String) throws(ImportProblem) -> (DiveReader, first: Int64) {
        let (table, opened) = try open(try output.table(path))
        var reader = opened
        var fault: ImportProblem?
        while let row = try table.next() {
            do throws(RowFault) {
                guard let reading = try reader.reading(of: row) else { continue }
                if reader.lacksZone { output.note("\(path): the times name no zone and are read as UTC") }
                if !reader.isAbsolute, request.start == nil {
                    output.note("\(path): the log has no date; say --start to give it one")
                }
                return (reader, reading.micros)
            } catch {
                fault = fault ?? ImportProblem(error.detail, file: path, line: row.line, column: error.column)
            }
        }
        throw fault ?? ImportProblem("no row holds a depth, a pressure or a temperature", file: path)
    }
}
