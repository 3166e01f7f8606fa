import TelemetryModel

/// Tremor of the days of a history that have changed, made of its minutes in order.
struct RecordedTremor {
    private let settings: TremorSettings
    private let days: Set<Int>
    /// The minute from which the track counts: unix times are too great for its cells.
    private let origin: Int
    private var track = TremorTrack()
    private var found: [Tremor] = []

    /// Tremor of `days`, by settings that permit it.
    init(of days: Set<Int>, from origin: Int, _ settings: TremorSettings) {
        (self.days, self.origin, self.settings) = (days, origin, settings)
    }

    /// Adds a minute. The last one before a day counts as well: its end is in the first window of the day.
    mutating func add(_ minute: HistoryMinute) {
        guard days.contains(minute.minute / HistoryDay.minutes) || days.contains((minute.minute + 1) / HistoryDay.minutes)
        else { return }
        let start = 60 * Double(minute.minute - origin)
        for index in 0..<minute.count {
            let units = SIMD3(Double(minute.x[index]), Double(minute.y[index]), Double(minute.z[index]))
            track.add(
                time: start + Double(minute.times[index]) / 1e6, units / HistoryMinute.unitsPerG, settings, to: &found)
        }
    }

    /// The minutes of the days, their times in unix s.
    mutating func finish() -> [Tremor] {
        track.close(into: &found)
        let offset = 60 * Double(origin)
        return found.map { tremor in
            var tremor = tremor
            tremor.start = DeviceTime(tremor.start.seconds + offset)
            tremor.end = DeviceTime(tremor.end.seconds + offset)
            return tremor
        }.filter { days.contains(Int($0.start.seconds) / (60 * HistoryDay.minutes)) }
    }
}
