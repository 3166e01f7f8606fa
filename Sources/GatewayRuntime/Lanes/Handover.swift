import GatewayConfiguration
import GatewayPipeline
import Logging
import ServiceLifecycle
import Synchronization
import UnixSignals

/// Whether the gateway hands its devices over when it stops, and the lanes that have committed everything since.
final class Handover: Sendable {
    private struct Contents {
        var isRequested = false
        var committed: Set<GatewayConfiguration.Lanes.Name> = []
    }

    private let contents = Mutex(Contents())

    /// Whether the stop hands the devices over.
    var isRequested: Bool { contents.withLock(\.isRequested) }

    /// Has the stop that follows hand the devices over.
    func request() { contents.withLock { $0.isRequested = true } }

    /// Records that a lane that stops has committed everything.
    func noteCommitted(_ lane: GatewayConfiguration.Lanes.Name) { contents.withLock { _ = $0.committed.insert(lane) } }

    /// Whether a lane has stopped with everything committed.
    func hasCommitted(_ lane: GatewayConfiguration.Lanes.Name) -> Bool { contents.withLock { $0.committed.contains(lane) } }
}

/// Hands the devices over on SIGUSR1: once the lanes have read what the broker had queued until then, the gateway stops.
///
/// A lane is that far when it has received two heartbeats that were published after the signal. Where that takes too long the gateway goes
/// on as before.
struct HandoverService: Service {
    /// How long the lanes may take, in seconds.
    private static let drainSeconds = 30.0
    /// The interval at which they are looked at.
    private static let checkSeconds = 0.05
    /// A broker may deliver messages of different topics in another order than it received them.
    private static let heartbeats = 2

    let handover: Handover
    let lanes: LaneRegistry
    let isDurable: Bool
    let reading: Gate
    let clock: any GatewayClock
    let logger: Logger

    /// Returns, so that the gateway stops, when the devices may be handed over.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await _ in await UnixSignalsSequence(trapping: .sigusr1) {
                guard await drain() else { continue }
                return handover.request()
            }
        }
    }

    /// Waits until the lanes have read what the broker had queued; false where the devices cannot be handed over.
    func drain() async -> Bool {
        guard isDurable, reading.verdict == true else {
            logger.error(
                "the devices are not handed over",
                metadata: ["reason": "\(isDurable ? "the gateway does not read yet" : "gateway.stateDirectory is not set")"])
            return false
        }
        logger.notice("the devices are handed over once everything that is queued is read")
        var open = lanes.probes.map { (probe: $0, number: $0.watch.lastPublished + Self.heartbeats) }
        let deadline = clock.now.monotonic + Self.drainSeconds
        while true {
            open.removeAll { $0.probe.watch.hasReceived($0.number) }
            if open.isEmpty { return true }
            if clock.now.monotonic > deadline { break }
            do { try await clock.sleep(seconds: Self.checkSeconds) } catch { return false }
        }
        logger.error(
            "the devices are not handed over: not everything that is queued was read in time",
            metadata: [
                "lanes": "\(open.map(\.probe.name.rawValue).sorted().joined(separator: " "))", "seconds": "\(Self.drainSeconds)",
            ])
        return false
    }
}
