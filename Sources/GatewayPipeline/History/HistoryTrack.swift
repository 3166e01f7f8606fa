import TelemetryModel

/// The state of a device's history beside its samples: which frames were received, and what is to be derived anew.
struct HistoryTrack: Sendable, Equatable, StoredPart {
    static let version = 1
    /// The boots whose frames are remembered.
    private static let mostBoots = 4
    /// Days and nights of which is remembered what was published.
    static let rememberedDays = 16
    /// After so many seconds without a frame a burst is over.
    static let burstSeconds = 60.0

    /// Samples that were too old.
    struct Discarded: Sendable, Equatable, Codable {
        var count: Int
        var from: UnixTime
        var to: UnixTime
    }

    /// The order of each boot's frames.
    var orders: [HistoryOrder] = []
    /// The UTC days of which samples have come since they were derived, as days since 1970.
    var changedDays: Set<Int> = []
    /// The days of a report that has begun that are not derived yet, those that are being read among them; nil where no report is under way.
    private(set) var reportedDays: Set<Int>?
    /// When the first of the samples of `changedDays` came.
    private(set) var changedSince: UnixTime?
    /// When the last frame came.
    var lastArrival: UnixTime?
    /// Samples that were discarded since the last report.
    private(set) var discarded: Discarded?
    /// When the last report was begun.
    private(set) var lastReport: UnixTime?

    /// The order of `boot`.
    subscript(boot: BootID) -> HistoryOrder {
        get { orders.first { $0.boot == boot } ?? HistoryOrder(boot: boot) }
        set {
            orders.removeAll { $0.boot == boot }
            orders.append(newValue)
            if orders.count > Self.mostBoots { orders.removeFirst() }
        }
    }

    /// The boot with the latest sample.
    var newest: HistoryOrder? { Self.newest(of: orders) }

    /// The same of the boots whose first frame was received: it is named in `committed`.
    var newestCommitted: HistoryOrder? { Self.newest(of: orders.filter { $0.prefix != nil }) }

    private static func newest(of orders: [HistoryOrder]) -> HistoryOrder? {
        orders.max { ($0.latest?.seconds ?? 0, $0.boot.rawValue) < ($1.latest?.seconds ?? 0, $1.boot.rawValue) }
    }

    /// Whether there is nothing in it.
    var isBlank: Bool { orders.isEmpty && !isChanged }

    /// Whether there is something to report.
    var isChanged: Bool { !changedDays.isEmpty || reportedDays != nil || discarded != nil }

    /// Records that samples of `days` came at `now`.
    mutating func noteChange(of days: some Sequence<Int>, at now: UnixTime) {
        for day in days {
            changedDays.insert(day)
            // A clock that was set back must not hold the report back.
            changedSince = min(changedSince ?? now, now)
        }
    }

    /// Records that samples were discarded.
    mutating func noteDiscarded(_ count: Int, from: UnixTime, to: UnixTime) {
        guard count > 0 else { return }
        let sum = (discarded?.count ?? 0).addingSaturated(count)
        discarded = Discarded(count: sum, from: min(discarded?.from ?? from, from), to: max(discarded?.to ?? to, to))
    }

    /// When what has changed is to be derived: at the end of a burst but at least `interval` seconds after the last time, at midnight UTC and
    /// a noon; nil while nothing has. What is left of a report that has begun is due whatever the clock says.
    func reportDue(_ noon: LocalNoon, interval: Double) -> UnixTime? {
        if reportedDays != nil { return UnixTime(0) }
        guard let lastArrival, changedSince != nil || discarded != nil else { return nil }
        let over = max(lastArrival + Self.burstSeconds, lastReport.map { min($0, lastArrival) + interval } ?? lastArrival)
        guard let changedSince else { return over }
        let midnight = UnixTime(Double(HistoryDay.day(of: changedSince) + 1) * HistoryDay.seconds)
        return min(over, midnight, noon.noon(after: changedSince))
    }

    /// The most days from the first to the last that are derived at once: with the day before and the day after they are read together.
    private static let daysAtOnce = 2

    /// Begins a report at `now`, unless one is under way, and takes out what was discarded; nil for nothing.
    mutating func beginReport(at now: UnixTime) -> Discarded? {
        if reportedDays == nil {
            reportedDays = changedDays.isEmpty ? nil : changedDays
            changedDays = []
            changedSince = nil
            lastReport = now
        }
        return exchange(&discarded, with: nil)
    }

    /// The days of the report that are derived next: the oldest. None where no report is under way.
    var nextDays: Set<Int> {
        guard let reportedDays, let oldest = reportedDays.min() else { return [] }
        return reportedDays.filter { $0 < oldest + Self.daysAtOnce }
    }

    /// Records that `days` of the report are derived.
    mutating func endReport(of days: Set<Int>) {
        let rest = reportedDays?.subtracting(days) ?? []
        reportedDays = rest.isEmpty ? nil : rest
    }

    /// Puts off what is due: its days are derived like those of samples that came at `now`.
    mutating func putOffReport(at now: UnixTime) {
        changedDays.formUnion(reportedDays ?? [])
        reportedDays = nil
        changedSince = changedDays.isEmpty ? nil : now
        lastArrival = now
    }
}
