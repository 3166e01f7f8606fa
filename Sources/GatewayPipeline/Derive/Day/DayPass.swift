/// Figures of each day that has changed. A day's samples are kept until a minute after it only.
struct DayPass: HistoryPass {
    private var open: OpenDays<DayBuffer>
    /// The days that have ended and whose figures are to be computed.
    private var ended: [DayBuffer] = []
    /// The figures of the days that have ended.
    private(set) var figures: [Int: DayFigures] = [:]

    /// Figures of `days`, with margins of one minute.
    init(of days: HistoryDays) { open = OpenDays(of: days, margin: 1) }

    /// Adds a minute.
    mutating func add(_ minute: HistoryMinute, _ epochs: Epochs) {
        close(before: minute.minute)
        func add(to buffer: inout DayBuffer) {
            let start = (minute.minute - buffer.day * HistoryDay.minutes) * HistoryMinute.length
            for index in 0..<minute.count {
                buffer.add(index, of: minute, at: start + Int(minute.times[index]))
            }
        }
        open.update(at: minute.minute, begin: DayBuffer.init(day:), add: add)
    }

    /// Ends all days.
    mutating func finish(_ epochs: Epochs) { close(before: .max) }

    /// Whether figures are to be computed.
    var isBehind: Bool { !ended.isEmpty }

    /// Computes a part of the figures of the first day that has ended.
    mutating func catchUp(_ epochs: Epochs) {
        guard let day = ended.first?.day, let found = ended[0].figures(epochs.values[epochs.range(ofDay: day)]) else { return }
        figures[day] = found
        ended.removeFirst()
    }

    private mutating func close(before minute: Int) { ended += open.close(before: minute).map(\.value) }
}
