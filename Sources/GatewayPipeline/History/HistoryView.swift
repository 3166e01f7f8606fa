package import TelemetryModel

/// What all derivations of a history see: the days that have changed, with epochs from the day before to the day after each.
package struct HistoryView: Sendable {
    /// The days that have changed and have samples, in order, as days since 1970.
    let days: [Int]
    /// The noon-to-noon periods that touch those days.
    let nights: [Range<Int>]
    /// The epochs.
    let epochs: Epochs
    /// Whether the device was worn.
    let wear: WearMap
}

/// One reading of a history: minutes, which are added in order of time, become a view and what each derivation makes of them.
struct HistorySummary {
    private let days: HistoryDays
    private var epochs: Epochs
    private var angles = AngleTrack()
    /// What reads the minutes for each derivation that wants them, by its place in the list of all.
    private(set) var passes: [Int: any HistoryPass]

    /// A reading of `days` for `passes`.
    init(of days: HistoryDays, passes: [Int: any HistoryPass] = [:]) {
        self.days = days
        self.passes = passes
        epochs = Epochs(days: days.range)
    }

    /// Adds a minute.
    mutating func add(_ minute: HistoryMinute) {
        let start = (minute.minute - days.minutes.lowerBound) * HistoryMinute.length
        for index in 0..<minute.count {
            let units = minute.units(index)
            let time = start + Int(minute.times[index])
            epochs.add(units, at: time, magnitude: HistoryMinute.magnitude(units))
            angles.add(units, at: time, into: &epochs)
        }
        for index in passes.keys { passes[index]?.add(minute, epochs) }
    }

    /// Whether something has to be computed before the next minute.
    var isBehind: Bool { passes.values.contains { $0.isBehind } }

    /// Computes a part of that, for some milliseconds.
    mutating func catchUp() {
        for index in passes.keys { passes[index]?.catchUp(epochs) }
    }

    /// Records that there are no more minutes.
    mutating func endMinutes() {
        for index in passes.keys { passes[index]?.finish(epochs) }
        angles.finish(into: &epochs)
    }

    /// The view, once there are no more minutes and nothing is to be computed.
    ///
    /// Nights that begin before `oldest` are left out: their first samples are not kept any more.
    func view(nights noon: LocalNoon, from oldest: UnixTime) -> HistoryView {
        let changed = days.days.filter { day in epochs.values[epochs.range(ofDay: day)].contains { $0.count > 0 } }.sorted()
        return HistoryView(days: changed, nights: nights(of: changed, noon, from: oldest), epochs: epochs, wear: WearMap(epochs))
    }

    private func nights(of days: [Int], _ noon: LocalNoon, from oldest: UnixTime) -> [Range<Int>] {
        var nights: [Range<Int>] = []
        for day in days {
            let end = UnixTime(Double(day + 1) * HistoryDay.seconds)
            var start = noon.noon(notAfter: UnixTime(Double(day) * HistoryDay.seconds))
            while start < end {
                let next = noon.noon(after: start)
                let night = epochs.index(start)..<epochs.index(next)
                if start >= oldest, !nights.contains(night) { nights.append(night) }
                start = next
            }
        }
        return nights
    }
}

/// Where the stored minutes of histories are read.
package protocol HistoryReader {
    /// Calls `body` with the samples of `device` in `minutes`, in order. A minute that cannot be read is set aside first, and left out: what
    /// comes of it later must not replace it unseen.
    func readHistory(of device: DeviceID, in minutes: Range<Int>, _ body: (HistoryMinute) throws -> Void) throws
}

/// What a derivation reads of recorded acceleration: a value that is given every minute that is read, in order of time.
package protocol HistoryPass: Sendable {
    /// Adds a minute with samples; `epochs` holds it and those before it.
    mutating func add(_ minute: HistoryMinute, _ epochs: Epochs)

    /// Ends: there are no more minutes.
    mutating func finish(_ epochs: Epochs)

    /// Whether it has to compute for longer than a minute takes before the next one, or after the end.
    var isBehind: Bool { get }

    /// Computes a part of that, for some milliseconds.
    mutating func catchUp(_ epochs: Epochs)
}

extension HistoryPass {
    /// False: each minute is processed when it is added.
    package var isBehind: Bool { false }

    /// Does nothing.
    package mutating func catchUp(_ epochs: Epochs) {}
}
