import TelemetryModel

/// Tremor of the days of a history that have changed.
struct TremorPass: HistoryPass {
    private let settings: TremorSettings
    private let days: HistoryDays
    private var track = TremorTrack()
    private var found: [Tremor] = []

    /// Tremor of `days`, by settings that permit it.
    init(of days: HistoryDays, _ settings: TremorSettings) { (self.days, self.settings) = (days, settings) }

    /// Adds a minute. The last one before a day counts as well: its end is in the first window of the day.
    mutating func add(_ minute: HistoryMinute, _ epochs: Epochs) {
        guard
            days.days.contains(minute.minute / HistoryDay.minutes)
                || days.days.contains((minute.minute + 1) / HistoryDay.minutes)
        else { return }
        let start = 60 * Double(minute.minute - origin)
        for index in 0..<minute.count {
            track.add(time: start + Double(minute.times[index]) / 1e6, minute.acceleration(index), settings, to: &found)
        }
    }

    /// Ends the last minute.
    mutating func finish(_ epochs: Epochs) { track.close(into: &found) }

    /// The minutes of the days of which enough is known, their times in unix s.
    var minutes: [Tremor] {
        let offset = 60 * Double(origin)
        return found.map { tremor in
            var tremor = tremor
            tremor.start = DeviceTime(tremor.start.seconds + offset)
            tremor.end = DeviceTime(tremor.end.seconds + offset)
            return tremor
        }.filter { days.days.contains(Int($0.start.seconds) / (60 * HistoryDay.minutes)) }
    }

    /// The minute from which the track counts: unix times are too great for its cells.
    private var origin: Int { days.minutes.lowerBound }
}
