import Glibc
import Synchronization

/// When a thread last went through its loop, so that another can detect that it is stuck.
package final class ThreadPulse: Sendable {
    /// The longest time that a thread with a pulse may sleep.
    package static let interval = Duration.seconds(5)
    private static let paused = Int64.max
    /// On the monotonic clock, in nanoseconds; `paused` while the thread need not beat.
    private let instant = Atomic(ThreadPulse.paused)

    /// A pulse that is paused.
    package init() {}

    /// Records that the thread has gone through its loop.
    package func beat() { instant.store(Self.now, ordering: .relaxed) }

    /// Records that the thread waits for something outside of the process, or has ended.
    package func pause() { instant.store(Self.paused, ordering: .relaxed) }

    /// The seconds since the last beat; nil while paused.
    package var age: Double? {
        let last = instant.load(ordering: .relaxed)
        return last == Self.paused ? nil : Double(Self.now - last) / 1e9
    }

    private static var now: Int64 { MonotonicInstant.read(CLOCK_MONOTONIC) }
}
