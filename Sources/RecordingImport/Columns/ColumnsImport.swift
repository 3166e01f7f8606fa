import SignalProcessing
import TelemetryModel

/// Plans the import of a log of raw motion whose columns are named in the request.
struct ColumnsImport: FileImport {
    /// Logs may begin with lines of settings that are no comments.
    private static let headerLines = 100

    let request: ImportRequest
    let output: ImportPlan.Output

    /// No content shows it: its columns are named in the request.
    static func recognizes(_ beginning: [UInt8], name: String) -> Bool { false }

    /// The plan for the file at `path`.
    func plan(_ path: String) throws(ImportProblem) -> ImportPlan {
        let streams = request.streams ?? [.deviceMotion]
        guard streams.count == 1, let stream = streams.first, [.deviceMotion, .headphoneMotion].contains(stream) else {
            throw ImportProblem("--streams must be device-motion or headphone-motion: the file holds one sensor", file: path)
        }
        return try plan(path, stream: stream, dateOrder: request.times.dateOrder)
    }

    private func plan(_ path: String, stream: ImportStream, dateOrder: DateOrder?) throws(ImportProblem) -> ImportPlan {
        let open = { (table: Table) throws(ImportProblem) in
            try table.readHeader(within: Self.headerLines) { header throws(ImportProblem) in
                var reader = try ColumnsReader(header, request: request)
                reader.clock.dateOrder = dateOrder
                return reader
            }
        }
        let table = try output.countedTable(path)
        var evidence = ColumnsEvidence()
        var restarts = RestartSurvey()
        let survey = try TableSurvey(table, try open(table)) { placed in
            evidence.add(placed.timed.reading)
            restarts.add(placed)
        }
        let clock = survey.reader.clock
        if let fault = clock.ambiguous {
            guard dateOrder == nil, let order = clock.dateOrder else {
                throw ImportProblem(fault.detail, file: path, column: fault.column)
            }
            return try plan(path, stream: stream, dateOrder: order)
        }
        guard let first = survey.first else {
            throw survey.fault ?? ImportProblem("no row holds acceleration and rotation rate", file: path)
        }
        if !clock.isAbsolute, let line = restarts.line {
            output.note(
                "\(path):\(line): the times begin again here, and all rows are sorted by time: split a file of several recordings"
            )
        }
        for note in clock.notes(start: request.start) { output.note("\(path): \(note)") }
        output.note("\(path): \(try evidence.note(file: path))")
        return try ImportPlan(
            log: path, stream: stream, survey: survey, first: first, request: request, output: output, open: open)
    }
}

/// What the first rows show of the units that were named.
private struct ColumnsEvidence {
    private static let mostRows = 4096
    /// What the median of |acceleration| can be, in G, where the units are right: people move, but not always.
    private static let plausible = 0.3...3.0

    private var evidence = MotionEvidence()
    private var sum = SIMD3<Double>()
    private var isFused = false

    mutating func add(_ reading: Reading) {
        guard evidence.count < Self.mostRows else { return }
        switch reading {
        case .raw(let sample):
            evidence.add(acceleration: sample.acceleration)
            sum += sample.acceleration
        case .motion(let sample):
            evidence.add(sample)
            isFused = true
        default: break
        }
    }

    /// What is to be said of them; throws where the units cannot be right.
    func note(file: String) throws(ImportProblem) -> String {
        if isFused {
            guard (0.9...1.1).contains(evidence.length) else {
                throw ImportProblem(
                    "|gravity| is \(Self.text(evidence.length)) G by the units given, expected 1: are the units of gravx, gravy and "
                        + "gravz right?", file: file)
            }
            return evidence.frames.contains(.apple)
                ? "gravity and attitude agree in Core Motion's signs (\(evidence.count) rows)"
                : "gravity and attitude contradict each other: these are not Core Motion's signs"
        }
        guard Self.plausible.contains(evidence.length) else {
            throw ImportProblem(
                "the median of |acceleration| is \(Self.text(evidence.length)) G by the units given, expected about 1: "
                    + "are the units of ax, ay and az right?", file: file)
        }
        let mean = sum / Double(evidence.count)
        return "the mean acceleration is \(Self.text(mean.x)), \(Self.text(mean.y)), \(Self.text(mean.z)) G over "
            + "\(evidence.count) rows; Core Motion's signs give -1 along an axis that points up"
    }

    private static func text(_ value: Double) -> String { "\((value * 1000).rounded() / 1000)" }
}
