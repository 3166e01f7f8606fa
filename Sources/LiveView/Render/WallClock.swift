import Glibc

/// Instants as the clock on the wall shows them.
package struct WallClock: Sendable {
    private let secondsFromUTC: @Sendable (Double) -> Double

    /// The clock of this machine's time zone.
    package static let local = WallClock { at in
        var (time, parts) = (time_t(exactly: at.rounded(.down)) ?? 0, tm())
        return localtime_r(&time, &parts) == nil ? 0 : Double(parts.tm_gmtoff)
    }

    /// A clock that is so many seconds ahead of UTC at an instant, in unix seconds.
    package init(secondsFromUTC: @escaping @Sendable (Double) -> Double) { self.secondsFromUTC = secondsFromUTC }

    /// The time of day of an instant in unix seconds: `12:31:07`. With `now`, of another day the date and the minute: `03-21 12:31`.
    package func text(_ at: Double, now: Double? = nil) -> String {
        guard let then = local(at) else { return "--:--:--" }
        let second = then.second % Self.daySeconds
        let minute = "\(Self.two(second / 3_600)):\(Self.two(second / 60 % 60))"
        guard let today = now.flatMap(local), today.day != then.day else { return "\(minute):\(Self.two(second % 60))" }
        let date = Self.monthAndDay(then.day)
        return "\(Self.two(date.month))-\(Self.two(date.day)) \(minute)"
    }

    private static let daySeconds = 86_400

    /// Local seconds and days since 1970; nil for an instant that no clock shows.
    private func local(_ at: Double) -> (second: Int, day: Int)? {
        guard at > 0, at < 4_102_444_800 else { return nil }
        let second = max(0, Int((at + secondsFromUTC(at)).rounded(.down)))
        return (second, second / Self.daySeconds)
    }

    private static func monthAndDay(_ day: Int) -> (month: Int, day: Int) {
        var (time, parts) = (time_t(day * daySeconds), tm())
        gmtime_r(&time, &parts)
        return (Int(parts.tm_mon) + 1, Int(parts.tm_mday))
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
