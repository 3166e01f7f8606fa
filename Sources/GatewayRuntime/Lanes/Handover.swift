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

    /// Records that a lane that stops has committed everything; without effect where the stop hands nothing over: what a lane has committed
    /// when the last of a former session was read says nothing of the present one.
    func noteCommitted(_ lane: GatewayConfiguration.Lanes.Name) {
        contents.withLock { if $0.isRequested { $0.committed.insert(lane) } }
    }

    /// Whether a lane has stopped with everything committed.
    func hasCommitted(_ lane: GatewayConfiguration.Lanes.Name) -> Bool { contents.withLock { $0.committed.contains(lane) } }
}

/// Hands the devices over on SIGUSR1: once the lanes have read what the broker had queued until then, the gateway stops.
///
/// A lane is that far when it has received two heartbeats that were published after the signal, and none of the frames that arrived until then
/// waits for an earlier one. Where that takes too long the gateway goes on as before.
struct HandoverService: Service {
    /// How long the heartbeats may take, and what waits for earlier frames beyond the time in which these may come, in seconds.
    private static let drainSeconds = 30.0
    /// The interval at which the lanes are looked at.
    private static let checkSeconds = 0.05
    /// A broker may deliver messages of different topics in another order than it received them.
    private static let heartbeats = 2

    let handover: Handover
    let lanes: LaneRegistry
    let isDurable: Bool
    let reading: Gate
    /// `mqtt.redeliverySeconds`.
    let redeliverySeconds: Double
    let clock: any GatewayClock
    let logger: Logger
    /// When the first of a lane's messages that wait for an earlier frame arrived, on the monotonic clock.
    var incompleteSince: @Sendable (LaneProbe) async -> Double? = { await $0.mailbox.incompleteSince() }

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
        let awaited = lanes.probes.reduce(into: [:]) { $0[$1.name] = $1.watch.lastPublished + Self.heartbeats }
        guard await waits(upTo: Self.drainSeconds, until: { $0.watch.hasReceived(awaited[$0.name] ?? 0) }) else { return false }
        // What the broker delivers again comes behind the heartbeats, and to nobody once the session is ended.
        let arrived = clock.now.monotonic
        return await waits(upTo: redeliverySeconds + Self.drainSeconds) { lane in
            await incompleteSince(lane).map { $0 > arrived } ?? true
        }
    }

    /// Waits until `isDone` is true of each lane; false when that takes longer than `seconds`, or the task is cancelled.
    private func waits(upTo seconds: Double, until isDone: (LaneProbe) async -> Bool) async -> Bool {
        var open = lanes.probes
        let deadline = clock.now.monotonic + seconds
        while true {
            var left: [LaneProbe] = []
            for lane in open where await !isDone(lane) { left.append(lane) }
            open = left
            if open.isEmpty { return true }
            if clock.now.monotonic > deadline { break }
            do { try await clock.sleep(seconds: Self.checkSeconds) } catch { return false }
        }
        logger.error(
            "the devices are not handed over: not everything that is queued was read in time",
            metadata: ["lanes": "\(open.map(\.name.rawValue).sorted().joined(separator: " "))", "seconds": "\(seconds)"])
        return false
    }
}
