/// The frames of one stream in one file, in the file's order.
final class FrameSource {
    /// What a source reads.
    struct Plan {
        /// The file.
        var file: String
        /// Where its frames go.
        var stream: ImportStream
        /// The clock and the boot of the device.
        var boot: RecordedBoot
        /// The device time of its first reading, in microseconds.
        var start: Int64
        /// The device time of its last reading, in microseconds; nil where that is not known.
        var end: Int64?
        /// The line of the file that it begins on; nil for all of the file.
        var line: Int?
        /// Whether its depths may be of several dives, which the file does not tell apart.
        var mayHoldDives = false
        /// Opens the file. Takes a report that counts nothing yet, and what to call with each row that is dropped.
        var open: (FileReport, @escaping (ImportProblem) -> Void) throws(ImportProblem) -> any Readings
    }

    /// A frame is cut after so many microseconds...
    private static let longest: Int64 = 1_000_000
    /// ...or readings: the gateway takes 4096 samples, and 256 entries of a list.
    private static let most = 200

    private let plan: Plan
    private let onFault: (ImportProblem) -> Void
    private var readings: (any Readings)?
    private var pending: TimedReading?
    private var head: RecordedLine?
    private var sequence = 0
    private var span: ClosedRange<Int64>?
    private var pace = StreamPace()
    private var deepest: Double?
    private var finished: FileReport

    /// A source that has not opened its file; `onFault` is called with every row that is dropped.
    init(_ plan: Plan, onFault: @escaping (ImportProblem) -> Void) {
        self.plan = plan
        self.onFault = onFault
        finished = FileReport(file: plan.file, device: plan.boot.device, stream: plan.stream)
    }

    /// When its next line arrives, in microseconds, or before that while the file is not open.
    var due: Int64 { head?.at ?? plan.boot.arrival(plan.start) }

    /// The result of the file so far.
    var report: FileReport {
        var report = readings?.report ?? finished
        (report.frames, report.samples) = (sequence, finished.samples)
        guard let span else { return report }
        report.seconds = Double(span.upperBound - span.lowerBound) / 1e6
        let unix = { [plan] (micros: Int64) in plan.boot.epoch.map { Double($0 + micros) / 1e6 } }
        (report.first, report.last) = (unix(span.lowerBound), unix(span.upperBound))
        report.deepest = deepest
        // Steps are counted when there are some, not at an interval.
        guard plan.stream != .pedometer else { return report }
        var pace = pace
        pace.finish()
        report.interval = pace.interval.map { Double($0) / 1e6 }
        report.holeCount = pace.holeCount
        report.holes = pace.holes.map {
            FileReport.Hole(
                at: unix($0.start), after: Double($0.start - span.lowerBound) / 1e6, seconds: Double($0.length) / 1e6)
        }
        return report
    }

    /// Takes the line that is due and reads the next, or opens the file and reads the first; false at the end.
    func advance(taking line: inout RecordedLine?) throws(ImportProblem) -> Bool {
        line = head
        head = nil
        if readings == nil {
            readings = try plan.open(finished, onFault)
            pending = try readings?.next()
        }
        head = try nextFrame()
        if head == nil {
            finished = report
            readings = nil
        }
        return head != nil
    }

    private func note(_ timed: TimedReading) {
        switch timed.reading {
        // It was not measured.
        case .surfaced: return
        case .water(let water): if let meters = water.meters { deepest = max(deepest ?? meters, meters) }
        default: break
        }
        pace.add(timed.micros)
        span.include(timed.micros)
        finished.samples += 1
    }

    private func nextFrame() throws(ImportProblem) -> RecordedLine? {
        guard let first = pending else { return nil }
        var frame: [TimedReading] = []
        while let reading = pending, reading.micros - first.micros < Self.longest, frame.count < Self.most,
            frame.isEmpty || !reading.reading.isState, reading.reading.fits(behind: first.reading)
        {
            frame.append(reading)
            note(reading)
            pending = try readings?.next()
            if reading.reading.isState { break }
        }
        let last = frame.last?.micros ?? first.micros
        let text = FrameText(readings: frame, epoch: plan.boot.epoch, start: plan.boot.start)
        defer { sequence += 1 }
        return plan.boot.line(
            plan.stream.rawValue, sequence: sequence, uptime: last, retain: first.reading.isState
        ) { text.write(into: &$0) }
    }
}

extension FrameSource.Plan {
    /// When its first and last readings arrive, in microseconds; the first alone where the last is not known.
    var span: ClosedRange<Int64> { boot.arrival(start)...boot.arrival(max(start, end ?? start)) }

    /// The readings of a table, whose rows are in `order`; `open` reads its header.
    init(
        file: String, stream: ImportStream, boot: RecordedBoot, start: Int64, order: RowOrder = .nearly,
        table open: @escaping ReadingSequence.Open
    ) {
        self.init(file: file, stream: stream, boot: boot, start: start) { report, onFault in
            ReadingSequence(order: order, report: report, onFault: onFault, open: open)
        }
    }
}
