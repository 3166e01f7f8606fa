import Glibc

/// An instant on `CLOCK_BOOTTIME`, which also counts while the machine is suspended, in whole nanoseconds.
///
/// `ContinuousClock.Instant` is the same clock, but its layout is known at run time only: every value that holds one is copied and
/// destroyed through witness tables, which cost a loop that looks at its deadlines more than all else.
package struct MonotonicInstant: Sendable, Hashable, Comparable {
    private let nanoseconds: Int64

    /// The current instant.
    package static var now: Self { Self(nanoseconds: read(CLOCK_BOOTTIME)) }

    /// Nanoseconds on a clock of the system.
    static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Orders by time.
    package static func < (first: Self, second: Self) -> Bool { first.nanoseconds < second.nanoseconds }

    /// The instant so much later; at most 292 years after the machine's start.
    package static func + (instant: Self, duration: Duration) -> Self { instant.later(by: duration.nanoseconds) }

    /// The instant so many seconds later; at most 292 years after the machine's start.
    package static func + (instant: Self, seconds: Double) -> Self {
        instant.later(by: Int64(max(-9e18, min(9e18, seconds * 1e9))))
    }

    private func later(by more: Int64) -> Self {
        let (sum, isTooFar) = nanoseconds.addingReportingOverflow(more)
        return Self(nanoseconds: isTooFar ? (more > 0 ? .max : .min) : sum)
    }

    /// The time from `second` to `first`.
    package static func - (first: Self, second: Self) -> Duration { .nanoseconds(first.since(second)) }

    private func since(_ other: Self) -> Int64 {
        let (difference, isTooLong) = nanoseconds.subtractingReportingOverflow(other.nanoseconds)
        return isTooLong ? (self > other ? .max : .min) : difference
    }

    /// Milliseconds until `later`, rounded up; 0 where that is past.
    func milliseconds(until later: Self) -> Int32 {
        let left = max(0, later.since(self))
        return Int32(clamping: left / 1_000_000 + (left.isMultiple(of: 1_000_000) ? 0 : 1))
    }

    /// The earlier of two instants that may be absent; nil where both are.
    package static func earlier(_ first: Self?, _ second: Self?) -> Self? {
        guard let first, let second else { return first ?? second }
        return min(first, second)
    }
}

extension Duration {
    /// Whole nanoseconds, at most those of 292 years.
    fileprivate var nanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }
}
