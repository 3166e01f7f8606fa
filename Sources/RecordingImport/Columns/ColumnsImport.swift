import SignalProcessing

/// Plans the import of a log of raw motion whose columns are named in the request.
struct ColumnsImport: FileImport {
    private static let mostRows = 4096
    /// Logs may begin with lines of settings that are no comments.
    private static let headerLines = 100
    /// What the median of |acceleration| can be, in G, where the units are right: people move, but not always.
    private static let plausible = 0.3...3.0

    let request: ImportRequest
    let output: ImportPlan.Output

    /// The plan for the file at `path`.
    func plan(_ path: String) throws(ImportProblem) -> ImportPlan {
        let streams = request.streams ?? [.deviceMotion]
        guard streams.count == 1, let stream = streams.first, [.deviceMotion, .headphoneMotion].contains(stream) else {
            throw ImportProblem("--streams must be device-motion or headphone-motion: the file holds one sensor", file: path)
        }
        let (clock, first) = try survey(path)
        return try ImportPlan(
            log: path, stream: stream, clock: clock, first: first, request: request, output: output, open: open)
    }

    private func open(_ table: Table) throws(ImportProblem) -> ColumnsReader {
        try table.readHeader(within: Self.headerLines) { header throws(ImportProblem) in
            try ColumnsReader(header, request: request)
        }
    }

    /// The clock and the time of the first reading, in microseconds; throws why no row can be read, and where the units cannot be right.
    private func survey(_ path: String) throws(ImportProblem) -> (RowClock, first: Int64) {
        let table = try output.table(path)
        var reader = try open(table)
        var fault: ImportProblem?
        var first: Int64?
        var evidence = MotionEvidence()
        var sum = SIMD3<Double>()
        var rows = 0
        while rows < Self.mostRows, let row = try table.next() {
            rows += 1
            do throws(RowFault) {
                guard let timed = try reader.reading(of: row), case .raw(let sample) = timed.reading else { continue }
                first = first ?? timed.micros
                evidence.add(acceleration: sample.acceleration)
                sum += sample.acceleration
            } catch {
                fault = fault ?? ImportProblem(error.detail, file: path, line: row.line, column: error.column)
            }
        }
        guard let first else { throw fault ?? ImportProblem("no row holds acceleration and rotation rate", file: path) }
        guard Self.plausible.contains(evidence.length) else {
            throw ImportProblem(
                "the median of |acceleration| is \(Self.text(evidence.length)) G by the units given, expected about 1: "
                    + "are the units of ax, ay and az right?", file: path)
        }
        for note in reader.clock.notes(start: request.start) { output.note("\(path): \(note)") }
        let mean = sum / Double(evidence.count)
        output.note(
            "\(path): the mean acceleration is \(Self.text(mean.x)), \(Self.text(mean.y)), \(Self.text(mean.z)) G over "
                + "\(evidence.count) rows; Core Motion's signs give -1 along an axis that points up")
        return (reader.clock, first)
    }

    private static func text(_ value: Double) -> String { "\((value * 1000).rounded() / 1000)" }
}
