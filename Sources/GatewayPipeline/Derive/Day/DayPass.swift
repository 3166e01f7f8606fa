/// Figures of each day that has changed. A day's samples are kept until a minute after it only.
struct DayPass: HistoryPass {
    private let days: HistoryDays
    /// The days whose margins the present minute touches.
    private var open: [DayBuffer] = []
    /// The figures of the days that have ended.
    private(set) var figures: [Int: DayFigures] = [:]

    /// Figures of `days`.
    init(of days: HistoryDays) { self.days = days }

    /// Adds a minute. Margins are of one minute.
    mutating func add(_ minute: HistoryMinute, _ epochs: Epochs) {
        close(before: minute.minute, epochs)
        for day in days.days(near: minute.minute, margin: 1) where !open.contains(where: { $0.day == day }) {
            open.append(DayBuffer(day: day))
        }
        for place in open.indices {
            let start = (minute.minute - open[place].day * HistoryDay.minutes) * HistoryMinute.length
            for index in 0..<minute.count {
                open[place].add(HistoryMinute.magnitude(minute.units(index)), at: start + Int(minute.times[index]))
            }
        }
    }

    /// Ends all days.
    mutating func finish(_ epochs: Epochs) { close(before: .max, epochs) }

    private mutating func close(before minute: Int, _ epochs: Epochs) {
        for buffer in open where minute > (buffer.day + 1) * HistoryDay.minutes {
            figures[buffer.day] = buffer.figures(epochs.values[epochs.range(ofDay: buffer.day)])
        }
        open.removeAll { figures[$0.day] != nil }
    }
}
