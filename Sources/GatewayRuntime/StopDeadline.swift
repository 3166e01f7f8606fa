import Glibc
import Logging
import Mosquitto
import ServiceLifecycle
import Synchronization

/// Ends the process when a stop takes too long, whatever a thread waits for. What is lost by that is what a kill loses: nothing, as the
/// broker delivers again what was not acknowledged.
final class StopDeadline: Service {
    /// The longest time from the signal to the end of the process, in seconds.
    private static let seconds = 9
    private let isStopped = Atomic(false)
    private let logger: Logger

    init(logger: Logger) { self.logger = logger }

    /// Starts to count when the gateway begins to stop.
    func run() async throws {
        try? await gracefulShutdown()
        // A thread of its own: tasks may be what does not run any more.
        try NamedThread.start(name: "stop-deadline") { [self] in
            sleep(UInt32(Self.seconds))
            guard !isStopped.load(ordering: .relaxed) else { return }
            logger.critical("the stop did not end in time: the process is ended", metadata: ["seconds": "\(Self.seconds)"])
            _exit(1)
        }
    }

    /// Records that the stop has ended.
    func end() { isStopped.store(true, ordering: .relaxed) }
}
