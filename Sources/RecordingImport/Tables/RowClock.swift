/// The time of a log's rows: a column of the log, or a constant interval from row to row.
struct RowClock {
    /// How a column writes times. Those since the log's beginning have the unit alone.
    enum Unit: String, CaseIterable {
        case seconds = "s"
        case milliseconds = "ms"
        case microseconds = "us"
        case nanoseconds = "ns"
        case unixSeconds = "unix_s"
        case unixMilliseconds = "unix_ms"
        case unixMicroseconds = "unix_us"
        case unixNanoseconds = "unix_ns"
        case calendar = "iso"

        /// How many make a second; nil for dates.
        fileprivate var perSecond: Double? {
            switch self {
            case .seconds, .unixSeconds: 1
            case .milliseconds, .unixMilliseconds: 1e3
            case .microseconds, .unixMicroseconds: 1e6
            case .nanoseconds, .unixNanoseconds: 1e9
            case .calendar: nil
            }
        }

        fileprivate var isAbsolute: Bool {
            switch self {
            case .seconds, .milliseconds, .microseconds, .nanoseconds: false
            default: true
            }
        }
    }

    /// The device time of a log's beginning, in microseconds: no device sends at 0.
    private static let lead: Int64 = 1_000_000
    /// Unix times from 2001 to 2100.
    private static let unixTimes = 978_307_200.0...4_102_444_800
    /// Seconds that no clock shows.
    private static let limit = 1e11

    private let column: Column?
    private let field: String
    private let unit: Unit
    private let interval: Double?
    /// The place of the next row; negative for those that are no samples.
    private var place: Int

    /// Unix microseconds, or for times since the log's beginning the log's own, at which the device's clock showed 0.
    var epoch: Int64 = 0
    /// Whether a time of day was read as UTC because it names no zone.
    private(set) var lacksZone = false

    /// The clock of rows with times in `column`, which `--columns` calls `field`, or `interval` seconds apart, after `skippedRows` that are no samples.
    init(_ column: Column?, named field: String, unit: Unit, interval: Double?, skippedRows: Int) {
        self.column = column
        self.field = field
        self.unit = unit
        self.interval = interval
        place = -skippedRows
    }

    /// Whether the times are points in time and not seconds since the log's beginning.
    var isAbsolute: Bool { interval == nil && unit.isAbsolute }

    /// Passes over a row.
    mutating func skip() { place += 1 }

    /// The instant of the next row in microseconds of the device's clock; nil where the row is no sample.
    mutating func micros(of row: Row) throws(RowFault) -> Int64? {
        defer { place += 1 }
        guard place >= 0 else { return nil }
        if let interval { return Int64((Double(place) * interval * 1e6).rounded()) - epoch }
        guard let column else { return -epoch }
        let seconds: Double
        if let perSecond = unit.perSecond {
            seconds = try row.number(column, limit: Self.limit * perSecond) / perSecond
        } else {
            seconds = try calendarSeconds(of: row, column)
        }
        guard isAbsolute ? seconds > 0 : seconds >= 0 else {
            throw RowFault("out of range", column: column.name, detail: "\(seconds) s is before the earliest time")
        }
        // A number in another unit is decades off; a date may be of an old log.
        guard !isAbsolute || unit == .calendar || Self.unixTimes.contains(seconds) else {
            throw RowFault(
                "out of range", column: column.name,
                detail: "\(seconds) s is no unix time between 2001 and 2100; is the unit \(unit.rawValue) right?")
        }
        return Int64((seconds * 1e6).rounded()) - epoch
    }

    private mutating func calendarSeconds(of row: Row, _ column: Column) throws(RowFault) -> Double {
        let text = row.text(column.index)
        if text.isEmpty { throw RowFault("with a blank cell", column: column.name, detail: "the cell is blank") }
        guard let time = CalendarTime.read(text) else {
            let advice = "; for a number say its unit: --columns \(field)=\(column.name):unix_s (or unix_ms, or s)"
            throw RowFault(
                "without a time", column: column.name, detail: "\(ImportProblem.quoted(text)) is no date and time\(advice)")
        }
        if !time.hasZone { lacksZone = true }
        return time.seconds
    }

    /// The boot of the log at `path`, whose first reading is at `first` by the log's own time; dated by `start` where the log has no dates. The
    /// second is what the device's clock is behind the log's.
    func boot(
        of path: String, device: String, first: Int64, start: Double?
    ) throws(ImportProblem) -> (boot: RecordedBoot, zero: Int64) {
        var hash = ContentHash()
        try hash.add(file: path)
        let zero = isAbsolute ? first / 1_000_000 * 1_000_000 - Self.lead : -Self.lead
        let epoch = isAbsolute ? zero : start.map { Int64(($0 * 1e6).rounded()) - Self.lead }
        return (RecordedBoot(device: device, boot: hash.boot, epoch: epoch, start: first - zero), zero)
    }

    /// What is to be said of the times after the first row.
    func notes(start: Double?) -> [String] {
        (lacksZone ? ["the times name no zone and are read as UTC"] : [])
            + (!isAbsolute && start == nil ? ["the log has no date; say --start to give it one"] : [])
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
