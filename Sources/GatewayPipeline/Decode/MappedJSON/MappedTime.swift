internal import TelemetryModel

/// The field of a payload that holds the time of its samples.
struct MappedTime: Sendable, Equatable {
    /// Units of time; the raw value is the symbol.
    enum Unit: String, CaseIterable, Sendable {
        case seconds = "s"
        case milliseconds = "ms"
        case microseconds = "us"
        case nanoseconds = "ns"
        /// A date and time of day as text.
        case iso8601

        /// How many make a second; 1 for dates.
        var perSecond: Double {
            switch self {
            case .seconds, .iso8601: 1
            case .milliseconds: 1e3
            case .microseconds: 1e6
            case .nanoseconds: 1e9
            }
        }
    }

    /// The clock of the times.
    enum Clock: String, CaseIterable, Sendable {
        /// The wall clock, from 1970 on.
        case unix
        /// The device's own, from its start on.
        case uptime
    }

    /// The place.
    var pointer: JSONPointer
    /// The unit.
    var unit: Unit
    /// The clock.
    var clock: Clock
    /// The place of the unix time of zero: a number in `unit`, or phyphox's list of starts and pauses.
    var origin: JSONPointer?
    /// The seconds east of UTC of dates that name no zone; nil where such dates are rejected.
    var zone: Int?

    /// The seconds of each sample on `clock`, nil where the payload has null; one for `layout: flat`.
    ///
    /// Throws `timeOutOfRange` for what is no time, `columnLength` for more than `maximum`, and `wrongType`.
    func seconds(in root: JSONNode, layout: Mapping.Layout, maximum: Int) throws(Rejection) -> [Double?] {
        let node = try pointer.require(in: root)
        let origin = try self.origin.map { pointer throws(Rejection) in
            try MappedOrigin(try pointer.require(in: root), unit: unit)
        }
        var seconds =
            unit == .iso8601
            ? try dates(node, maximum: layout == .columns ? maximum : nil)
            : layout == .columns ? try node.mappedNumbers(maximum: maximum) : [try node.mappedNumber()]
        for index in seconds.indices {
            guard let time = seconds[index].map({ $0 / unit.perSecond }) else { continue }
            let placed = origin?.unixTime(of: time) ?? time
            guard isReading(placed) else {
                throw (node.kind == .array ? node.element(index) : node).rejection(
                    .timeOutOfRange,
                    clock == .unix
                        ? "\(placed) s is no unix time between 2001 and 2100; is the unit of the mapping right?"
                        : "\(placed) s is no reading of an uptime clock")
            }
            seconds[index] = placed + 0
        }
        return seconds
    }

    /// The unix times of texts; `maximum` is that of an array, nil where none is read.
    private func dates(_ node: JSONNode, maximum: Int?) throws(Rejection) -> [Double?] {
        guard let maximum, node.kind == .array else { return [try date(node)] }
        guard (1...max(1, maximum)).contains(node.uncheckedCount) else {
            throw node.rejection(.columnLength, "\(node.uncheckedCount) values, expected 1 to \(maximum)")
        }
        return try node.map { element throws(Rejection) in try date(element) }
    }

    private func date(_ node: JSONNode) throws(Rejection) -> Double? {
        if node.isBlank { return nil }
        let text = try node.string()
        guard let time = try? CalendarTime.read(text), time.isISO8601 else {
            throw node.rejection(.wrongType, "expected a date and time as 2026-01-31T12:00:00Z, found \(text.quoted)")
        }
        guard let offset = time.hasZone ? 0 : zone else {
            throw node.rejection(.invalidValue, "\(text.quoted) names no zone, and the mapping has no zone for such dates")
        }
        return time.seconds - Double(offset)
    }

    private func isReading(_ seconds: Double) -> Bool {
        switch clock {
        case .unix: FrameClock.wallClock.contains(seconds)
        case .uptime: (0..<FrameClock.end).contains(seconds)
        }
    }
}

/// The unix time of zero, for times that are counted from the start of a recording.
private struct MappedOrigin {
    /// Stretches of recording: where they begin on their own clock, and in unix time.
    private let starts: [(experiment: Double, unix: Double)]

    /// Reads a number, or a list of `{"event": "START", "experimentTime": s, "systemTime": s}` and pauses.
    init(_ node: JSONNode, unit: MappedTime.Unit) throws(Rejection) {
        guard node.kind == .array else {
            guard let unix = try node.mappedNumber() else { throw node.rejection(.wrongType, "expected a number, found null") }
            starts = [(0, unix / unit.perSecond)]
            return
        }
        var starts: [(experiment: Double, unix: Double)] = []
        guard node.uncheckedCount <= 4096 else { throw node.rejection(.columnLength, "more than 4096 starts and pauses") }
        for event in try node.map({ event throws(Rejection) in event }) {
            guard try event.required("event").string() == "START" else { continue }
            starts.append((try event.required("experimentTime").number(), try event.required("systemTime").number()))
        }
        guard !starts.isEmpty else { throw node.rejection(.missingField, "no START is among the events") }
        self.starts = starts
    }

    /// The unix time of a sample, by the last start before it.
    func unixTime(of time: Double) -> Double {
        let start = starts.last { $0.experiment <= time } ?? starts[0]
        return start.unix + time - start.experiment
    }
}
