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
