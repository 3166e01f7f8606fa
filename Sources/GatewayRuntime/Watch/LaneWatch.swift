package import GatewayPipeline
import Mosquitto
import Synchronization

/// How time goes on for the devices of a lane: while something cannot be read, its absence means nothing.
package struct LanePace: Sendable, Equatable {
    /// Which waits for missing messages may end.
    package var expiring = WaitExpiry.all
    /// Whether timers fire.
    package var firesTimers = true
    /// For how long nothing could be read, once that is over.
    package var deafSeconds = 0.0
}

/// Whether anything still comes through the connection of one lane, and whether another gateway uses it.
final class LaneWatch: Sendable {
    /// How long a heartbeat may be on its way through the broker.
    private static let silenceSeconds = 2.0
    /// How long one may be on its way while other messages come; one that takes longer is not delivered at all.
    private static let overdueSeconds = 30.0
    /// A batch that takes longer waits for something else than its own processing.
    private static let stuckSeconds = 0.5

    /// How late a heartbeat is when the lane has more to read than it can.
    private static let behindSeconds = 1.0
    /// How long after a connection was made what the broker held may still be coming, where no heartbeat tells.
    private static let catchingUpSeconds = 10.0
    /// How long a gateway that has just started waits for that at the most.
    private static let backlogSeconds = 60.0
    /// How long depth waits for missing frames of a lane that reads but does not get on.
    private static let patienceSeconds = 30.0

    private struct Contents {
        var isConnected = false
        var connectedAt = Double.infinity
        /// Whether the broker has had a session of ours.
        var expectsSession = false
        /// Whether a heartbeat has come through this connection: what the broker held before it has come too.
        var hasCaughtUp = false
        /// When a batch was given back that nothing was committed after.
        var stalledSince: Double?
        /// When a gateway started that has not caught up yet.
        var backlogExpectedSince: Double?
        /// When the batch was handed over that is not settled yet.
        var busySince: Double?
        /// Since when nothing can be read.
        var deafSince: Double?
        /// Whether the broker lets our heartbeats through to us; before one has come, silence means nothing.
        var isArmed = false
        /// When the broker took the first heartbeat that nothing has come after; nil while something has.
        var awaitingSince: Double?
        /// Heartbeats on their way, and when the broker took them.
        var underway: [(number: Int, acceptedAt: Double)] = []
        var rivals = RivalTracker()
        var rival: Heartbeat.Instance?
    }

    private let topic: String
    private let instance: Heartbeat.Instance
    private let mayFallBehind: Bool
    private let contents = Mutex(Contents())

    /// A lane that may fall behind has its timers wait for what is still in the broker's queue; one that carries depth does not.
    init(gateway: String, lane: String, instance: Heartbeat.Instance, mayFallBehind: Bool) {
        topic = Heartbeat.topic(gateway: gateway, lane: lane)
        self.instance = instance
        self.mayFallBehind = mayFallBehind
    }

    /// The gateway that was there before us, once one is known.
    var rival: Heartbeat.Instance? { contents.withLock { $0.rival } }

    /// The broker has accepted the connection. Returns whether a session that it should have known is lost.
    @discardableResult
    func connected(sessionPresent: Bool, at monotonic: Double) -> Bool {
        contents.withLock { contents in
            defer { contents.expectsSession = true }
            contents.isConnected = true
            contents.connectedAt = monotonic
            contents.underway = []
            contents.hasCaughtUp = false
            contents.awaitingSince = nil
            return contents.expectsSession && !sessionPresent
        }
    }

    func disconnected() { contents.withLock { $0.isConnected = false } }

    /// A batch has come; until it is settled nothing else is read.
    func heard(at monotonic: Double) {
        contents.withLock { contents in
            contents.busySince = monotonic
            contents.awaitingSince = nil
        }
    }

    /// A batch was settled.
    func settled() {
        contents.withLock { contents in
            contents.busySince = nil
            contents.awaitingSince = nil
        }
    }

    /// What was processed is committed.
    func committed() { contents.withLock { $0.stalledSince = nil } }

    /// A batch was given back to the broker: what it held comes again, in no order to rely on.
    func gaveBack(at monotonic: Double) { contents.withLock { $0.stalledSince = $0.stalledSince ?? monotonic } }

    /// States of a gateway before us were restored: the broker knows its session, and what it holds since then comes first.
    func expectBacklog(at monotonic: Double) {
        contents.withLock { contents in
            contents.expectsSession = true
            contents.backlogExpectedSince = monotonic
        }
    }

    /// How time goes on for the lane's devices at `monotonic`.
    func pace(at monotonic: Double) -> LanePace {
        contents.withLock { contents in
            let hasCaughtUp = contents.hasCaughtUp || monotonic - contents.connectedAt > Self.catchingUpSeconds
            if contents.isConnected, hasCaughtUp { contents.backlogExpectedSince = nil }
            let backlogSince = contents.backlogExpectedSince ?? -.infinity
            let firesTimers = monotonic - backlogSince > Self.backlogSeconds
            let isStuck = contents.busySince.map { monotonic - $0 > Self.stuckSeconds } ?? false
            let isBehind =
                mayFallBehind && contents.isArmed
                && contents.underway.first.map { monotonic - $0.acceptedAt > Self.behindSeconds } ?? false
            let isReading = contents.isConnected && hasCaughtUp && !isStuck && contents.stalledSince == nil
            guard !isReading else {
                defer { contents.deafSince = nil }
                // What is missing of a queue that is read in order does not come; what a timer waits for does.
                return LanePace(
                    expiring: .all, firesTimers: firesTimers && !isBehind,
                    deafSeconds: contents.deafSince.map { monotonic - $0 } ?? 0)
            }
            let since = contents.deafSince ?? contents.busySince ?? monotonic
            contents.deafSince = since
            let isOff = firesTimers && !contents.isConnected && contents.stalledSince == nil
            let isTooLong = monotonic - since > Self.patienceSeconds
            return LanePace(
                expiring: isOff || isTooLong ? .depthOnly : .none, firesTimers: firesTimers && !isBehind, deafSeconds: 0)
        }
    }

    /// Takes `message` if it is a heartbeat of this lane; false for all others.
    func takeHeartbeat(_ message: MQTTMessage, at monotonic: Double) -> Bool {
        guard message.topic == topic else { return false }
        guard let heartbeat = Heartbeat(message.payload) else { return true }
        contents.withLock { contents in
            contents.isArmed = true
            if heartbeat.instance == instance {
                contents.hasCaughtUp = true
                contents.underway.removeAll { $0.number <= heartbeat.number }
            }
            guard heartbeat.instance != instance, let rival = contents.rivals.hear(heartbeat, at: monotonic) else { return }
            if rival.precedes(instance) { contents.rival = rival }
        }
        return true
    }

    /// The broker has taken a heartbeat that was sent while the lane was connected.
    func heartbeatAccepted(_ number: Int, at monotonic: Double) {
        contents.withLock { contents in
            if contents.underway.count < 64 { contents.underway.append((number, monotonic)) }
            guard contents.isConnected, contents.busySince == nil else { return }
            contents.awaitingSince = contents.awaitingSince ?? monotonic
        }
    }

    /// Whether heartbeats that the broker accepted have never come through: its ACL may not let the account read them.
    func isHeartbeatMissing(at monotonic: Double) -> Bool {
        contents.withLock { contents in
            guard contents.isConnected, !contents.isArmed, contents.busySince == nil else { return false }
            let isIdle = contents.awaitingSince.map { monotonic - $0 > Self.silenceSeconds } ?? false
            let isOverdue = contents.underway.first.map { monotonic - $0.acceptedAt > Self.overdueSeconds } ?? false
            return isIdle || isOverdue
        }
    }

    /// Whether the connection is up and nothing comes through it.
    func isSilent(at monotonic: Double) -> Bool {
        contents.withLock { contents in
            guard contents.isConnected, contents.isArmed, contents.busySince == nil, let since = contents.awaitingSince else {
                return false
            }
            return monotonic - since > Self.silenceSeconds
        }
    }
}
