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
    /// The longest time of a stop that hands devices over, in seconds: a broker may take seconds to end a session.
    private static let handoverSeconds = 60
    private let isStopped = Atomic(false)
    private let handover: Handover
    private let logger: Logger

    init(handover: Handover, logger: Logger) {
        self.handover = handover
        self.logger = logger
    }

    /// Starts to count when the gateway begins to stop.
    func run() async throws {
        try? await gracefulShutdown()
        // A thread of its own: tasks may be what does not run any more.
        try NamedThread.start(name: "stop-deadline") { [self] in
            let seconds = handover.isRequested ? Self.handoverSeconds : Self.seconds
            sleep(UInt32(seconds))
            guard !isStopped.load(ordering: .relaxed) else { return }
            logger.critical("the stop did not end in time: the process is ended", metadata: ["seconds": "\(seconds)"])
            _exit(1)
        }
    }

    /// Records that the stop has ended.
    func end() { isStopped.store(true, ordering: .relaxed) }
}
