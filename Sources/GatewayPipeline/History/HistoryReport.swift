import TelemetryModel

/// A report of some days of a history that is under way: what was read so far.
///
/// It is in memory alone. `HistoryTrack` has its days until it has ended, so that after a restart it begins anew.
final class HistoryReport {
    let days: HistoryDays
    /// The boot that its messages name.
    let boot: BootID
    /// The derivations that have not seen the view yet, by their places in the list of all.
    var takers: ArraySlice<Int>
    /// What the derivations see, once everything is read.
    private(set) var view: HistoryView?
    private let noon: LocalNoon
    private let oldest: UnixTime
    private var summary: HistorySummary
    /// The minutes that are not read yet.
    private var left: Range<Int>
    private var isRead = false

    /// A report of `days` for `takers`, of which some have `passes`. Nights that begin before `oldest` are left out.
    init(
        of days: HistoryDays, boot: BootID, takers: [Int], passes: [Int: any HistoryPass], noon: LocalNoon, oldest: UnixTime
    ) {
        self.days = days
        self.boot = boot
        self.takers = takers[...]
        self.noon = noon
        self.oldest = oldest
        summary = HistorySummary(of: days, passes: passes)
        left = days.minutes
    }

    /// What the pass of a derivation has made of the minutes, once everything is read.
    func pass(of taker: Int) -> (any HistoryPass)? { summary.passes[taker] }

    /// Does the next part: reads minutes of `book` until `mayGoOn` is false after one of them, or computes for some milliseconds.
    func step(_ book: HistoryBook, of device: DeviceID, while mayGoOn: () -> Bool) throws {
        if view != nil { return }
        if summary.isBehind {
            summary.catchUp()
        } else if !left.isEmpty {
            try read(book, of: device, while: mayGoOn)
        } else if !isRead {
            isRead = true
            summary.endMinutes()
        } else {
            view = summary.view(nights: noon, from: oldest)
        }
    }

    private func read(_ book: HistoryBook, of device: DeviceID, while mayGoOn: () -> Bool) throws {
        var next = left.upperBound
        try book.forEachMinute(of: device, in: left) { minute in
            summary.add(minute)
            if !summary.isBehind, mayGoOn() { return true }
            next = minute.minute + 1
            return false
        }
        left = next..<left.upperBound
    }
}
