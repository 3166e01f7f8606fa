package import TelemetryModel

/// How the times of a log are to be read where the log leaves it open.
package struct TimeRules: Sendable, Equatable {
    /// The zone of times of day that name none; nil for UTC.
    package var zone: LocalZone?
    /// Whether day or month comes first; nil reads dates that show it alone.
    package var dateOrder: DateOrder?

    /// UTC, and dates that show their order.
    package init() {}

    /// What is wrong with a date whose day and month may be either way around, as the rest of a sentence.
    static let ambiguity = "has two meanings; say --date-order dmy (day first) or mdy (month first)"

    /// Unix seconds of a time; one that names no zone is in this one, after `last` in the hour that summer time repeats.
    func seconds(_ time: CalendarTime.Reading, after last: Double?) -> Double {
        guard !time.hasZone, let zone else { return time.seconds }
        return zone.seconds(ofLocal: time.seconds, after: last)
    }

    /// What is to be said where times name no zone.
    var note: String {
        "the times name no zone and are read as \(zone?.name ?? "UTC; say --zone NAME for another")"
    }
}

/// The time of a log's rows: columns of the log, or a constant interval from row to row.
struct RowClock {
    /// Where the times stand.
    struct Source {
        /// The column of the times; nil for none.
        var time: Column?
        /// The column of the dates, where those are apart.
        var date: Column?
        /// The unit of the times.
        var unit: Unit
        /// What `--columns` calls the times.
        var field: String
    }

    /// The device time of a log's beginning, in microseconds: no device sends at 0.
    private static let lead: Int64 = 1_000_000
    /// Seconds that no clock shows.
    private static let limit = 1e11

    private let source: Source
    private let interval: Double?
    private var times: TimeRules
    /// The place of the next row; negative for those that are no samples.
    private var place: Int

    /// Unix microseconds, or for times since the log's beginning the log's own, at which the device's clock showed 0.
    var epoch: Int64 = 0
    /// Whether a time of day names no zone.
    private(set) var lacksZone = false
    /// Whether day or month comes first, as said or as a date has shown; nil where neither.
    var dateOrder: DateOrder?
    /// A date that could not be read, as either order of day and month is possible.
    private(set) var ambiguous: RowFault?
    /// The last time of day that was read, in unix seconds.
    private var last: Double?

    /// The clock of rows with times in `source`, or as far apart and after as many rows that are no samples as `request` has it.
    init(_ source: Source, request: ImportRequest) {
        self.source = source
        interval = request.interval
        times = request.times
        times.zone = times.zone ?? source.time?.zone ?? source.date?.zone
        dateOrder = request.times.dateOrder
        place = -request.skippedRows
    }

    /// Whether the times are points in time and not seconds since the log's beginning.
    var isAbsolute: Bool { interval == nil && source.unit.isAbsolute }

    /// Passes over a row.
    mutating func skip() { place += 1 }

    /// The instant of the next row in microseconds of the device's clock; nil where the row is no sample.
    mutating func micros(of row: Row) throws(RowFault) -> Int64? {
        defer { place += 1 }
        guard place >= 0 else { return nil }
        if let interval {
            let seconds = Double(place) * interval
            guard seconds <= Self.limit else { throw RowFault("out of range", detail: "\(seconds) s is after the latest time") }
            return Int64((seconds * 1e6).rounded()) - epoch
        }
        guard let column = source.time else { return -epoch }
        let seconds: Double
        if let perSecond = source.unit.perSecond {
            seconds = try number(of: row, column, perSecond: perSecond)
        } else {
            seconds = try calendarSeconds(of: row, column)
        }
        guard isAbsolute ? seconds > 0 : seconds >= 0 else {
            throw RowFault("out of range", column: column.name, detail: "\(seconds) s is before the earliest time")
        }
        // A number in another unit is decades off; a date may be of an old log.
        guard !isAbsolute || source.unit == .calendar || Importer.dates.contains(seconds) else {
            throw RowFault(
                "out of range", column: column.name,
                detail: "\(seconds) s is no unix time between 2001 and 2100; is the unit \(source.unit.rawValue) right?")
        }
        return Int64((seconds * 1e6).rounded()) - epoch
    }

    /// A number of the unit; times since the beginning may also be written `m:ss` or `h:mm:ss`.
    private func number(of row: Row, _ column: Column, perSecond: Double) throws(RowFault) -> Double {
        let text = row.text(column.index)
        if !isAbsolute, text.utf8.contains(UInt8(ascii: ":")), let seconds = CalendarTime.elapsed(text), seconds <= Self.limit {
            return seconds
        }
        return try row.number(column, limit: Self.limit * perSecond) / perSecond
    }

    private mutating func calendarSeconds(of row: Row, _ column: Column) throws(RowFault) -> Double {
        var text = row.text(column.index)
        if row.isBlank(column.index) { throw RowFault("with a blank cell", column: column.name, detail: "the cell is blank") }
        if let date = source.date, (try? CalendarTime.read(text, order: dateOrder)) == nil {
            text = "\(row.text(date.index)) \(text)"
        }
        let time: CalendarTime.Reading
        do throws(CalendarTime.Failure) { time = try CalendarTime.read(text, order: dateOrder) } catch {
            throw fault(error, text, column)
        }
        dateOrder = dateOrder ?? time.order
        guard !time.hasZone else { return time.seconds }
        lacksZone = true
        let seconds = times.seconds(time, after: last)
        last = seconds
        return seconds
    }

    private mutating func fault(_ failure: CalendarTime.Failure, _ text: String, _ column: Column) -> RowFault {
        if failure == .ambiguous {
            let fault = RowFault(
                "without a time", column: (source.date ?? column).name,
                detail: "\(ImportProblem.quoted(text)) \(TimeRules.ambiguity)")
            ambiguous = ambiguous ?? fault
            return fault
        }
        let option = "--columns \(source.field)=\(column.name)"
        let advice =
            CalendarTime.elapsed(text) == nil
            ? "for a number say its unit: \(option):unix_s (or unix_ms, or s)"
            : "for minutes and seconds since the start say \(option):min; a time of day needs a date"
        return RowFault(
            "without a time", column: column.name, detail: "\(ImportProblem.quoted(text)) is no date and time; \(advice)")
    }

    /// The boot of the log at `path`, whose first reading is at `first` by the log's own time; dated by `start`. The second is what the device's
    /// clock is behind the log's.
    func boot(
        of path: String, device: String, first: Int64, start: Double?
    ) throws(ImportProblem) -> (boot: RecordedBoot, zero: Int64) {
        var hash = ContentHash()
        try hash.add(file: path)
        let zero = isAbsolute ? first / 1_000_000 * 1_000_000 - Self.lead : -Self.lead
        let said = start.map { Int64(($0 * 1e6).rounded()) }
        // Of times since the beginning `start` is second 0, of points in time the first.
        let epoch = isAbsolute ? said.map { $0 - (first - zero) } ?? zero : said.map { $0 - Self.lead }
        return (RecordedBoot(device: device, boot: hash.boot, epoch: epoch, start: first - zero), zero)
    }

    /// What is to be said of the times after all rows were read.
    func notes(start: Double?) -> [String] {
        guard interval != nil, let time = source.time else { return dateNotes(start: start) }
        let ignored = "the column \(ImportProblem.quoted(time.name)) is not read: the times are those of --interval"
        return [ignored] + dateNotes(start: start)
    }

    private func dateNotes(start: Double?) -> [String] {
        if isAbsolute, start != nil { return ["the log's own dates are replaced: its first row is at --start"] }
        if lacksZone { return [times.note] }
        guard !isAbsolute, start == nil else { return [] }
        guard let date = source.date else { return ["the log has no date; say --start to give it one"] }
        return ["the column \(ImportProblem.quoted(date.name)) does not date times since the start; say --start to do so"]
    }
}

extension RowClock {
    /// How a column writes times. Those since the log's beginning have the unit alone.
    enum Unit: String, CaseIterable {
        case seconds = "s"
        case minutes = "min"
        case milliseconds = "ms"
        case microseconds = "us"
        case nanoseconds = "ns"
        case unixSeconds = "unix_s"
        case unixMilliseconds = "unix_ms"
        case unixMicroseconds = "unix_us"
        case unixNanoseconds = "unix_ns"
        case calendar = "iso"

        /// The units by what stands in files, in small letters.
        static let spellings: [String: String] = allCases.reduce(
            into: [
                "sec": "s", "secs": "s", "second": "s", "seconds": "s", "minute": "min", "minutes": "min", "mins": "min",
                "millis": "ms", "msec": "ms", "milliseconds": "ms", "iso8601": "iso", "m:ss": "min", "mm:ss": "min",
                "h:mm:ss": "min", "hh:mm:ss": "min",
            ]) { $0[$1.rawValue] = $1.rawValue }

        /// How many make a second; nil for dates.
        fileprivate var perSecond: Double? {
            switch self {
            case .seconds, .unixSeconds: 1
            case .minutes: 1.0 / 60
            case .milliseconds, .unixMilliseconds: 1e3
            case .microseconds, .unixMicroseconds: 1e6
            case .nanoseconds, .unixNanoseconds: 1e9
            case .calendar: nil
            }
        }

        fileprivate var isAbsolute: Bool {
            switch self {
            case .seconds, .minutes, .milliseconds, .microseconds, .nanoseconds: false
            default: true
            }
        }
    }
}

/// Reads rows that have a clock.
protocol LogReader: RowReader {
    /// Their clock.
    var clock: RowClock { get set }
}

extension LogReader {
    mutating func skip() { clock.skip() }
}
