import TelemetryModel

/// What derivations of a history see: the days that have changed, with epochs from the day before to the day after each.
package struct HistoryView: Sendable {
    /// The days that have changed and have samples, in order, as days since 1970.
    let days: [Int]
    /// The noon-to-noon periods that touch those days.
    let nights: [Range<Int>]
    /// The epochs.
    let epochs: Epochs
    /// Whether the device was worn.
    let wear: WearMap
    /// The figures of each of the days.
    let figures: [Int: DayFigures]
    /// The minutes of the days with known tremor, in unix s; none without consent.
    let tremor: [Tremor]
}

/// Makes a view of minutes, which are added in order of time.
struct HistorySummary {
    private let days: Set<Int>
    private let range: Range<Int>
    private var epochs: Epochs
    private var angles = AngleTrack()
    /// The days whose margins the present minute touches.
    private var open: [DayBuffer] = []
    private var figures: [Int: DayFigures] = [:]
    private var tremor: RecordedTremor?

    /// A summary of `days`; nil for none. `tremor` is nil where none may be derived.
    init?(of days: Set<Int>, tremor settings: TremorSettings? = nil) {
        guard let first = days.min(), let last = days.max() else { return nil }
        self.days = days
        range = first - 1..<last + 2
        epochs = Epochs(days: range)
        tremor = settings.map { RecordedTremor(of: days, from: (first - 1) * HistoryDay.minutes, $0) }
    }

    /// The minutes that are to be added.
    var minutes: Range<Int> { range.lowerBound * HistoryDay.minutes..<range.upperBound * HistoryDay.minutes }

    /// Adds a minute.
    mutating func add(_ minute: HistoryMinute) {
        let start = (minute.minute - minutes.lowerBound) * HistoryMinute.length
        arrange(minute.minute)
        tremor?.add(minute)
        for index in 0..<minute.count {
            let units = SIMD3(Int64(minute.x[index]), Int64(minute.y[index]), Int64(minute.z[index]))
            let magnitude = Double((units &* units).wrappedSum()).squareRoot()
            let time = start + Int(minute.times[index])
            epochs.add(units, at: time, magnitude: magnitude)
            angles.add(units, at: time)
            for place in open.indices {
                open[place].add(magnitude, at: time - (open[place].day - range.lowerBound) * 86_400_000_000)
            }
        }
    }

    /// The view.
    mutating func finish(nights noon: LocalNoon) -> HistoryView {
        arrange(.max)
        angles.finish(into: &epochs)
        let changed = figures.keys.filter { day in epochs.values[epochs.range(ofDay: day)].contains { $0.count > 0 } }.sorted()
        return HistoryView(
            days: changed, nights: nights(of: changed, noon), epochs: epochs, wear: WearMap(epochs), figures: figures,
            tremor: tremor?.finish() ?? [])
    }

    private func nights(of days: [Int], _ noon: LocalNoon) -> [Range<Int>] {
        var nights: [Range<Int>] = []
        for day in days {
            let end = UnixTime(Double(day + 1) * HistoryDay.seconds)
            var start = noon.noon(notAfter: UnixTime(Double(day) * HistoryDay.seconds))
            while start < end {
                let next = noon.noon(after: start)
                let night = epochs.index(start)..<epochs.index(next)
                if !nights.contains(night) { nights.append(night) }
                start = next
            }
        }
        return nights
    }

    /// Closes the days that end before a minute, and opens those that it is of. Margins are of whole minutes.
    private mutating func arrange(_ minute: Int) {
        for buffer in open where minute > (buffer.day + 1) * HistoryDay.minutes {
            figures[buffer.day] = buffer.figures(epochs.values[epochs.range(ofDay: buffer.day)])
        }
        open.removeAll { figures[$0.day] != nil }
        guard minute != .max else { return }
        for day in [(minute + 1) / HistoryDay.minutes, minute / HistoryDay.minutes, (minute - 1) / HistoryDay.minutes]
        where days.contains(day) && figures[day] == nil && !open.contains(where: { $0.day == day }) {
            open.append(DayBuffer(day: day))
        }
    }
}
