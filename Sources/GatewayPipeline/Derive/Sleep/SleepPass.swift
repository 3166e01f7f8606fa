internal import SignalProcessing
import TelemetryModel

/// Sleep and wakefulness of the minutes of a history by counts of the axis along the forearm, which is `x` of a watch and the first axis of an
/// ActiGraph on a wrist.
struct SleepPass: HistoryPass {
    private static let epochsPerMinute = 60 / Epoch.seconds

    private let days: HistoryDays
    private let method: SleepMethod
    private var counts = ActigraphyCounts()

    /// The minutes of `days`.
    init(of days: HistoryDays, _ method: SleepMethod) { (self.days, self.method) = (days, method) }

    /// Adds a minute.
    mutating func add(_ minute: HistoryMinute, _ epochs: Epochs) {
        let start = 60 * Double(minute.minute - days.minutes.lowerBound)
        for index in 0..<minute.count {
            counts.add(time: start + Double(minute.times[index]) / 1e6, minute.acceleration(index).x)
        }
    }

    /// Does nothing: a minute that has ended is complete.
    func finish(_ epochs: Epochs) {}

    /// Whether each epoch of `night` is sleep; one that is not known, or was not worn, is not.
    func isAsleep(_ night: Range<Int>, _ wear: WearMap) -> [Bool] {
        let first = night.lowerBound / Self.epochsPerMinute
        let minutes = (first..<(night.upperBound + Self.epochsPerMinute - 1) / Self.epochsPerMinute).map(counts.counts)
        let known = minutes.map { $0 ?? 0 }
        let isAsleep = method == .sadeh ? ActigraphyScore.sadeh(known) : ActigraphyScore.coleKripke(known)
        return night.map { epoch in
            let minute = epoch / Self.epochsPerMinute - first
            return minutes[minute] != nil && isAsleep[minute] && wear.state(epoch) != .notWorn
        }
    }
}
