import CMosquitto
import Glibc
import Synchronization

/// A thread's sleep: on a socket, if there is one, and on an eventfd that any thread can signal.
package final class WakeUp: Sendable {
    /// What ended a sleep.
    struct Readiness {
        var isReadable = false
        var isWritable = false
    }

    private let descriptor: Int32
    private let isSignalled = Atomic(false)

    /// A wake-up for one thread.
    package init() {
        // The flags of eventfd are by definition those of open.
        descriptor = eventfd(0, O_NONBLOCK | O_CLOEXEC)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Whether a descriptor could be opened.
    package var isUsable: Bool { descriptor >= 0 }

    /// Ends the current sleep, or the next one; from any thread.
    package func signal() {
        guard !isSignalled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        _ = eventfd_write(descriptor, 1)
    }

    /// Sleeps until a signal comes or `limit` has passed; nil for ever.
    package func wait(atMost limit: Duration?) {
        let milliseconds = limit.map { Int32(clamping: Int64(max(0, min($0 / .milliseconds(1), 3_600_000)).rounded(.up))) }
        _ = wait(socket: -1, forReading: false, forWriting: false, milliseconds: milliseconds ?? -1)
    }

    /// Sleeps until `socket` (negative for none) is ready, a signal comes or `milliseconds` have passed (negative for ever).
    func wait(socket: Int32, forReading: Bool, forWriting: Bool, milliseconds: Int32) -> Readiness {
        let interest = (forReading ? POLLIN : 0) | (forWriting ? POLLOUT : 0)
        let failure = POLLERR | POLLHUP | POLLNVAL
        // poll always reports errors, so a socket that is not waited for must be left out, or the loop would spin.
        var descriptors = (
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: interest == 0 ? -1 : socket, events: Int16(interest), revents: 0)
        )
        let count = unsafe withUnsafeMutableBytes(of: &descriptors) { bytes in
            unsafe poll(bytes.bindMemory(to: pollfd.self).baseAddress, 2, milliseconds)
        }
        guard count > 0 else { return Readiness() }
        if descriptors.0.revents != 0 { absorb() }
        let events = Int32(descriptors.1.revents)
        return Readiness(
            isReadable: forReading && events & (Int32(POLLIN) | Int32(failure)) != 0,
            isWritable: forWriting && events & (Int32(POLLOUT) | Int32(failure)) != 0
        )
    }

    private func absorb() {
        var value: eventfd_t = 0
        _ = unsafe eventfd_read(descriptor, &value)
        // Cleared after reading: the effect of an earlier signal is visible to the thread's next step, and a later signal writes
        // again.
        _ = isSignalled.exchange(false, ordering: .acquiringAndReleasing)
    }
}
