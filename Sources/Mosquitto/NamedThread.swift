import CMosquitto
import Glibc
import Synchronization

/// A dedicated thread for blocking code, outside the cooperative pool.
package enum NamedThread {
    private final class Start: Sendable {
        let name: String
        let niceness: Int32
        let body: @Sendable () -> Void

        init(name: String, niceness: Int32, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.niceness = niceness
            self.body = body
        }
    }

    /// Runs `body` on a new detached thread called `name`, of which Linux shows the first 15 bytes; throws when the system has no
    /// thread left. The higher its `niceness`, 0 to 19, the lower its priority.
    package static func start(
        name: String, niceness: Int32 = 0, body: @escaping @Sendable () -> Void
    ) throws(MosquittoError) {
        let start = unsafe Unmanaged.passRetained(Start(name: name, niceness: niceness, body: body))
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                let start = unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                _ = unsafe cmosquitto_name_current_thread(start.name)
                // On Linux niceness is per thread, and 0 means the calling thread.
                if start.niceness > 0 { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, start.niceness) }
                start.body()
                return nil
            }, start.toOpaque())
        guard code == 0 else {
            unsafe start.release()
            throw MosquittoError(origin: .client, reason: "no thread could be started", errno: code)
        }
        pthread_detach(thread)
    }
}

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
