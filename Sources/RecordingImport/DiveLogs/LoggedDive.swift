import TelemetryModel

/// One dive of a log.
struct LoggedDive {
    /// Its place in the log, from 1.
    var number: Int
    /// The line it begins on, from 1.
    var line: Int
    /// When its second 0 was, in unix seconds; nil where the log does not say, and until all of it is read.
    fileprivate(set) var start: Double?
    /// The date as the log has it; nil where it has none.
    fileprivate(set) var date: String?
    /// Why the date cannot be read; nil where it can, or there is none.
    fileprivate(set) var dateFault: String?
    /// The pressure of the air.
    var surfacePressure: WaterReading.Measured?
    /// The unit of its depths. A unit of pressure where they are absolute pressures.
    var depthUnit = "m"
    /// Whether its depths are absolute pressures.
    var isOfPressures: Bool { depthUnit != "m" && depthUnit != "ft" }
    /// The unit of its temperatures.
    var temperatureUnit = "C"
    /// How many of its times make a second.
    var timesPerSecond = 1.0
    /// The least of its depths; nil without any.
    fileprivate(set) var least: Double?
    /// The time of its first and last sample, in microseconds since second 0 by times in seconds.
    var span: ClosedRange<Int64>?
    /// What was read of it.
    var report: FileReport
    /// The sample read last: whether it is one is known with the next.
    fileprivate var held: DiveSample?

    /// The microseconds of a sample's time.
    func micros(_ time: Int64) -> Int64 { timesPerSecond == 1 ? time : Int64((Double(time) / timesPerSecond).rounded()) }

    /// The reading of a sample at `micros` of the device's clock.
    func reading(_ sample: DiveSample, at micros: Int64) -> TimedReading {
        var water = WaterReading()
        if !sample.depth.isNaN {
            let depth = WaterReading.Measured(value: sample.depth, unit: depthUnit)
            if isOfPressures { water.pressure = depth } else { water.depth = depth }
            water.surfacePressure = surfacePressure
        }
        if !sample.temperature.isNaN {
            water.temperature = WaterReading.Measured(value: sample.temperature, unit: temperatureUnit)
        }
        return TimedReading(micros: micros, reading: .water(water))
    }
}

/// One sample of a dive; what was not measured is NaN.
struct DiveSample: Spooled {
    var series: UInt32
    var order: UInt32 = 0
    /// Since the dive's second 0, by times in seconds.
    var micros: Int64
    var depth: Double
    var temperature: Double
}

/// Takes what a log has of its dives, and keeps the samples.
final class DiveCollector {
    /// A dive with a greater time has no such sample.
    private static let longest = 1e9
    /// No diver has as many; each takes memory.
    private static let mostDives = 100_000
    private static let limit = 1e9

    private(set) var dives: [LoggedDive] = []
    let spool = Spool<DiveSample>(runLength: 1 << 15)
    /// Whether a time names no zone.
    private(set) var lacksZone = false
    /// What is in the log and is not read, by what it is.
    private(set) var leftOut: [String: Int] = [:]

    private let file: String
    private let device: String
    private let times: TimeRules
    private let onFault: (ImportProblem) -> Void

    /// A collector for the dives in `file`, whose dates are read by `times`; `onFault` is called with each sample that is dropped.
    init(file: String, device: String, times: TimeRules, onFault: @escaping (ImportProblem) -> Void) {
        (self.file, self.device, self.times, self.onFault) = (file, device, times, onFault)
    }

    /// Begins a dive, and gives its index; throws where there are too many.
    func begin(line: Int) throws(ImportProblem) -> Int {
        guard dives.count < Self.mostDives else {
            throw ImportProblem("more than \(Self.mostDives) dives; those from here on are not read", file: file, line: line)
        }
        dives.append(
            LoggedDive(
                number: dives.count + 1, line: line, report: FileReport(file: file, device: device, stream: .submersion)))
        return dives.count - 1
    }

    /// Changes what is known of a dive.
    func change(_ index: Int, _ change: (inout LoggedDive) -> Void) { change(&dives[index]) }

    /// Takes the date of a dive's second 0.
    func date(_ index: Int, _ text: String) { dives[index].date = text }

    /// Reads the dates: one that shows whether day or month comes first does so for all.
    private func readDates() {
        let order = times.dateOrder ?? dives.lazy.compactMap { $0.date.flatMap { try? DiveText.date($0) }?.order }.first
        var read: [(index: Int, time: CalendarTime.Reading)] = []
        for index in dives.indices {
            guard let text = dives[index].date else { continue }
            do throws(CalendarTime.Failure) {
                let time = try DiveText.date(text, order: order)
                if !time.hasZone { lacksZone = true }
                read.append((index, time))
            } catch {
                let fault = error == .ambiguous ? TimeRules.ambiguity : "cannot be read"
                dives[index].dateFault = "the date \(ImportProblem.quoted(text)) \(fault)"
            }
        }
        // Some logs have the newest dive first.
        if let first = read.first, let last = read.last, last.time.seconds < first.time.seconds { read.reverse() }
        var last: Double?
        for (index, time) in read {
            last = times.seconds(time, after: last)
            dives[index].start = last
        }
    }

    /// Counts something that is not read.
    func leaveOut(_ what: String) { leftOut[what, default: 0] += 1 }

    /// Takes a sample of a dive; a text that is no number leaves out that number.
    func add(_ index: Int, time: Double?, depth: Double?, temperature: Double?, line: Int) throws(ImportProblem) {
        dives[index].report.rows += 1
        guard let time else { return drop(index, RowFault("without a time", detail: "the sample has no time"), line: line) }
        guard (0...Self.longest).contains(time) else {
            return drop(index, RowFault("out of range", detail: "\(time) s is no time of a dive"), line: line)
        }
        guard depth != nil || temperature != nil else { return dives[index].report.blank += 1 }
        for value in [depth, temperature] where value.map({ abs($0) > Self.limit }) ?? false {
            return drop(index, RowFault("out of range", detail: "\(value ?? 0) is out of range"), line: line)
        }
        try release(index)
        dives[index].held = DiveSample(
            series: UInt32(index), micros: Int64((time * 1e6).rounded()), depth: depth ?? .nan, temperature: temperature ?? .nan)
    }

    /// The number of a cell or an attribute; nil where there is none, or a word for none. Another text is reported and left out.
    func number(_ index: Int, _ text: String?, called name: String, line: Int, _ read: (String) -> Double?) -> Double? {
        guard let text, !Self.isNoValue(text) else { return nil }
        if let number = read(text) { return number }
        onFault(ImportProblem("\(ImportProblem.quoted(text)) is no \(name), and is left out", file: file, line: line))
        dives[index].report.dropped["values that are no \(name)", default: 0] += 1
        return nil
    }

    /// Ends the log.
    func finish() throws(ImportProblem) {
        readDates()
        for index in dives.indices {
            // Some programs end a dive with a sample of its first second.
            if let held = dives[index].held, let span = dives[index].span, held.micros < span.lowerBound {
                drop(
                    index,
                    RowFault(
                        "after the end", detail: "the last sample of dive \(dives[index].number) is at a time before its first"),
                    line: dives[index].line)
                dives[index].held = nil
            }
            try release(index)
        }
        spool.finish()
    }

    private func release(_ index: Int) throws(ImportProblem) {
        guard let held = dives[index].held else { return }
        try spool.add(held)
        if !held.depth.isNaN { dives[index].least = min(dives[index].least ?? held.depth, held.depth) }
        dives[index].span.include(held.micros)
        dives[index].held = nil
    }

    /// Reports and counts a sample that is dropped.
    func drop(_ index: Int, _ fault: RowFault, line: Int) {
        dives[index].report.dropped[fault.kind, default: 0] += 1
        onFault(ImportProblem(fault.detail, file: file, line: line))
    }

    private static func isNoValue(_ text: String) -> Bool {
        let word = text.lowercased().filter { !$0.isWhitespace }
        return word == "nan" || NoValueWords.all.contains(word)
    }
}
