/// How often one kind of a device is published that streams without a budget lead to: 3,000 messages at once, and ten a second from then on.
///
/// A device is never refused on these streams, so what it can make the gateway publish is limited instead. A backlog of a day with a depth a
/// minute leads to 2,880 states, as each depth is `unknown` before the next. The state is one number, as in the generic cell rate algorithm (ITU-T
/// I.371): when the messages so far would all have been published at the even pace.
enum PublicationPace {
    private static let interval = 0.1
    /// How far that number may be ahead, in seconds, for one more message.
    private static let allowance = 2_999 * interval

    /// The number after one more message at `monotonic` seconds; nil where it has to wait.
    static func next(after previous: Double?, at monotonic: Double) -> Double? {
        guard let previous, isPossible(previous, at: monotonic) else { return monotonic + interval }
        return previous - monotonic > allowance ? nil : max(previous, monotonic) + interval
    }

    /// When the next message may be published, on the gateway's monotonic clock.
    static func due(after previous: Double) -> Double { previous - allowance }

    /// Whether it was made by this clock: one that is further ahead is of a machine that was restarted since, or of another.
    private static func isPossible(_ previous: Double, at monotonic: Double) -> Bool {
        previous - monotonic <= allowance + interval
    }
}
