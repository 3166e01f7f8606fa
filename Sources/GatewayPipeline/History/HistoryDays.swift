/// The days of a history that are derived, in days since 1970, and the minutes that are read for them: from the day before to the day after
/// each.
package struct HistoryDays: Sendable {
    /// The days, at least one.
    let days: Set<Int>
    /// The days that are read.
    let range: Range<Int>

    /// Days to be derived; nil for none.
    init?(_ days: Set<Int>) {
        guard let first = days.min(), let last = days.max() else { return nil }
        self.days = days
        range = first - 1..<last + 2
    }

    /// The minutes that are read.
    var minutes: Range<Int> { range.lowerBound * HistoryDay.minutes..<range.upperBound * HistoryDay.minutes }

    /// The days of which a minute is part, or from which it is at most `margin` minutes away, in order.
    func days(near minute: Int, margin: Int) -> [Int] {
        let (first, last) = ((minute - margin) / HistoryDay.minutes, (minute + margin) / HistoryDay.minutes)
        return (first...last).filter(days.contains)
    }
}

/// The days of a history that the present minute touches, with what is collected of each: a minute touches the day of which it is part, and
/// those from which it is at most `margin` minutes away.
struct OpenDays<Value: Sendable>: Sendable {
    private let days: HistoryDays
    private let margin: Int
    private var open: [(day: Int, value: Value)] = []

    /// No day is open; of `days`, each is opened by the first minute that touches it.
    init(of days: HistoryDays, margin: Int) { (self.days, self.margin) = (days, margin) }

    /// Ends the days that `minute` is past and returns them. `.max` is past all days.
    mutating func close(before minute: Int) -> [(day: Int, value: Value)] {
        let ended = open.filter { minute >= ($0.day + 1) * HistoryDay.minutes + margin }
        if !ended.isEmpty { open.removeFirst(ended.count) }
        return ended
    }

    /// Calls `add` with what is collected of each day that `minute` touches; `begin` makes it for a day that was not open.
    mutating func update(at minute: Int, begin: (Int) -> Value, add: (inout Value) -> Void) {
        for day in days.days(near: minute, margin: margin) where !open.contains(where: { $0.day == day }) {
            open.append((day, begin(day)))
        }
        for place in open.indices { add(&open[place].value) }
    }
}
