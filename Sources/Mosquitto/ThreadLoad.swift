/// Whether a thread is busy, by its processor time of the last whole second; a pure value.
///
/// A thread that is idle gains nothing by waiting for more messages: each would be late, and the processor time that is saved is not needed. As
/// waiting saves time, a thread that waits seems idle: it counts as busy until its load is half of the limit.
struct ThreadLoad {
    private static let period = Duration.seconds(1)

    /// The share of a processor from which on the thread is busy.
    private let limit: Double
    private var began: (at: MonotonicInstant, used: Int64)?
    /// Whether it was busy in the last period.
    private(set) var isBusy: Bool

    /// A thread that is not busy so far. With a limit of 0 it always is.
    init(limit: Double) {
        self.limit = limit
        isBusy = limit <= 0
    }

    /// Ends a period that is over; `used` is the processor time of the thread in nanoseconds, since any beginning.
    mutating func note(at now: MonotonicInstant, used: @autoclosure () -> Int64) {
        guard limit > 0 else { return }
        guard let (at, before) = began else { return began = (now, used()) }
        guard now - at >= Self.period else { return }
        let used = used()
        isBusy = .nanoseconds(used - before) / (now - at) >= (isBusy ? limit / 2 : limit)
        began = (now, used)
    }
}
