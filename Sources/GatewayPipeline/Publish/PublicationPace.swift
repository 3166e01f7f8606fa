/// How often one kind of a device is published that streams without a budget lead to: 10,000 messages at once, and ten a second from then on.
///
/// A device is never refused on these streams, so what it can make the gateway publish is limited instead. A backlog of a dive of five hours
/// leads to 9,000 states, as a state is published again each two seconds. New boots are no part of a backlog in such numbers: where a device
/// begins more than 100 at once and one a second from then on, ten a second are published at once.
///
/// The state of each limit is one number, as in the generic cell rate algorithm (ITU-T I.371): when what came so far would all have come
/// at the even pace.
enum PublicationPace {
    private static let interval = 0.1
    /// How far the number of messages may be ahead, in seconds, for one more.
    private static let allowance = 9_999 * interval
    private static let bootInterval = 1.0
    private static let bootAllowance = 99 * bootInterval

    /// The number after one more message at `monotonic` seconds; nil where it has to wait.
    static func next(after previous: Double?, at monotonic: Double) -> Double? {
        guard let previous, isPossible(previous, at: monotonic) else { return monotonic + interval }
        return previous - monotonic > allowance ? nil : max(previous, monotonic) + interval
    }

    /// When the next message may be published, on the gateway's monotonic clock.
    static func due(after previous: Double) -> Double { previous - allowance }

    /// The number of a kind of which the next message may be published in a tenth of a second.
    static func exhausted(after previous: Double?, at monotonic: Double) -> Double {
        guard let previous, isPossible(previous, at: monotonic), previous - monotonic > allowance else {
            return monotonic + allowance + interval
        }
        return previous
    }

    /// The number of boots after one more at `monotonic` seconds.
    static func nextBoot(after previous: Double?, at monotonic: Double) -> Double {
        let previous = previous.map { $0 - monotonic > bootAllowance + bootInterval ? monotonic : $0 } ?? monotonic
        return min(max(previous, monotonic) + bootInterval, monotonic + bootAllowance + bootInterval)
    }

    /// Whether there were too many boots.
    static func isOver(boots: Double?, at monotonic: Double) -> Bool {
        boots.map { (bootAllowance...bootAllowance + bootInterval).contains($0 - monotonic) } ?? false
    }

    /// Whether it was made by this clock: one that is further ahead is of a machine that was restarted since, or of another.
    private static func isPossible(_ previous: Double, at monotonic: Double) -> Bool {
        previous - monotonic <= allowance + interval
    }
}
