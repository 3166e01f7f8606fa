package import GatewayPipeline
import Mosquitto
import Synchronization

/// Which waits may end and whether timers fire: while messages cannot be read, their absence does not count as silence.
package struct LanePace: Sendable, Equatable {
    /// Which waits for missing messages may end.
    package var expiring = WaitExpiry.all
    /// Whether timers fire.
    package var firesTimers = true
    /// How long nothing could be read, in s, reported once when reading goes on; a pause of the process at once; 0 otherwise.
    package var unreadSeconds = 0.0
}

/// Observes one lane's connection: whether it still delivers, and how far reading is behind.
final class LaneWatch: Sendable {
    /// The longest time that the broker may take to deliver a heartbeat while nothing else is delivered.
    private static let silenceSeconds = 2.0
    /// How long it may take while other messages are delivered: what was queued before the heartbeat is delivered first.
    private static let overdueSeconds = 120.0
    /// A batch that is open for longer waits for something other than its own processing.
    private static let stuckSeconds = 0.5

    /// A heartbeat that was published longer ago shows that the lane reads more slowly than messages arrive, or that the broker
    /// is too slow to show the opposite.
    static let behindSeconds = 1.5
    /// How long after connecting, or a pause of the process, the broker's backlog may still be arriving, where no heartbeat can show
    /// its end.
    private static let catchingUpSeconds = 10.0
    /// The longest time that timers wait for the backlog after a start, or a pause of the process.
    private static let backlogSeconds = 60.0
    /// The longest time without a heartbeat of a connected lane. They are published every 0.5 s.
    static let heartbeatSeconds = 5.0
    /// The longest time that depth waits for missing frames while the lane reads without committing.
    private static let depthWaitSeconds = 30.0

    private struct Contents {
        var isConnected = false
        /// When the connection was made, or the process went on after a pause: a backlog may be arriving since.
        var connectedAt = Double.infinity
        /// Whether the broker should have a session of this lane.
        var expectsSession = false
        /// Whether a heartbeat was received that was published since `connectedAt`: the backlog before it was received too.
        var hasCaughtUp = false
        /// Whether a batch was released on this connection.
        var hasReleased = false
        /// Whether everything that the broker had queued was received.
        var hasDrained = false
        /// When the last batch was received.
        var receivedAt = -Double.infinity
        /// When a batch was released; nil once something was committed after it.
        var stalledSince: Double?
        /// When the gateway started, or the process went on after a pause, until the backlog is read.
        var backlogExpectedSince: Double?
        /// When the open batch was received; nil while none is open.
        var busySince: Double?
        /// When the timers began that fire now; nil while none do.
        var tickingSince: Double?
        /// Since when nothing can be read, less pauses of the process; nil while reading goes on.
        var unreadSince: Double?
        /// Whether a heartbeat was ever received; until then silence does not count.
        var hasReceivedHeartbeat = false
        /// When the last heartbeat of this instance was received.
        var heartbeatAt: Double?
        /// Whether this connection, or the last one, has delivered a heartbeat of this instance.
        var hasDelivered = false
        /// Since when a heartbeat is awaited: the last one, or the connection that followed one which had delivered some; later by the time
        /// that passed without a connection.
        var heartbeatAwaitedSince = Double.infinity
        /// Whether none came for too long; until the next one, also over reconnections.
        var lacksHeartbeat = false
        /// When the broker accepted the first heartbeat since the last delivery; nil for none.
        var awaitingSince: Double?
        /// Heartbeats that were published and not received yet; the broker has accepted those with `acceptedAt`.
        var underway: [(number: Int, publishedAt: Double, acceptedAt: Double?)] = []
        /// The number of the last heartbeat of this gateway that was received; 0 before the first.
        var lastReceived = 0
        /// The number of the last heartbeat that was published while the lane was connected; 0 before the first.
        var lastPublished = 0
        /// When heartbeats were last due; nil before the first time, and after a pause of the process until they are due again.
        var roundAt: Double?
        /// How long the process was paused, until that is reported.
        var pausedSeconds = 0.0
        /// The number of the last heartbeat that was published before `connectedAt`; 0 for none. The broker may still hold it, before frames.
        var lastBefore = 0

        /// From now on a backlog may be arriving; a heartbeat that is published later shows its end.
        mutating func awaitBacklog(at monotonic: Double) {
            connectedAt = monotonic
            lastBefore = max(lastPublished, lastReceived)
            underway = []
            hasCaughtUp = false
            awaitingSince = nil
        }

        /// Finds out, once, whether the process was paused: what was sent meanwhile is unread then, as after a start.
        mutating func notePause(at monotonic: Double) {
            guard let last = roundAt, monotonic - last > LaneWatch.behindSeconds else { return }
            roundAt = nil
            let seconds = monotonic - last
            pausedSeconds += seconds
            unreadSince = min((unreadSince ?? monotonic) + seconds, monotonic)
            backlogExpectedSince = monotonic
            heartbeatAwaitedSince = max(heartbeatAwaitedSince, monotonic)
            awaitBacklog(at: monotonic)
        }

        /// How long the process was paused since the last call.
        mutating func takePause() -> Double { exchange(&pausedSeconds, with: 0) }

        /// Whether the lane processes messages or fires timers, so that it reads nothing.
        var isWorking: Bool { busySince != nil || tickingSince != nil }

        func hasCaughtUp(at monotonic: Double) -> Bool {
            hasCaughtUp || monotonic - connectedAt > LaneWatch.catchingUpSeconds && !expectsHeartbeat(at: monotonic)
        }

        /// Whether the broker has accepted a heartbeat and may still deliver it or a later one.
        func expectsHeartbeat(at monotonic: Double) -> Bool {
            firstAccepted != nil && !isIdleOrOverdue(at: monotonic)
        }

        /// Whether the broker has delivered no heartbeat although nothing else was delivered since, or for too long.
        func isIdleOrOverdue(at monotonic: Double) -> Bool {
            let isIdle = awaitingSince.map { monotonic - $0 > LaneWatch.silenceSeconds } ?? false
            let isOverdue = firstAccepted.map { monotonic - $0 > LaneWatch.overdueSeconds } ?? false
            return isIdle || isOverdue
        }

        /// When the broker accepted the first heartbeat that was not received.
        private var firstAccepted: Double? { underway.lazy.compactMap(\.acceptedAt).first }

        func expectsBacklog(at monotonic: Double) -> Bool {
            backlogExpectedSince.map { monotonic - $0 <= LaneWatch.backlogSeconds } ?? false
        }

        func isBehind(at monotonic: Double) -> Bool {
            hasReceivedHeartbeat && underway.first.map { monotonic - $0.publishedAt > LaneWatch.behindSeconds } ?? false
        }

        func isReading(at monotonic: Double) -> Bool {
            let isStuck = busySince.map { monotonic - $0 > LaneWatch.stuckSeconds } ?? false
            return isConnected && hasCaughtUp(at: monotonic) && !isStuck && stalledSince == nil
        }
    }

    private let topic: String
    private let instance: Heartbeat.Instance
    private let mayFallBehind: Bool
    private let contents = Mutex(Contents())

    /// With `mayFallBehind` the timers of the lane's devices wait for what the broker still holds; not for the lane that carries depth.
    init(gateway: String, lane: String, instance: Heartbeat.Instance, mayFallBehind: Bool) {
        topic = Heartbeat.topic(gateway: gateway, lane: lane)
        self.instance = instance
        self.mayFallBehind = mayFallBehind
    }

    /// When the last heartbeat of this instance was received, on the monotonic clock; nil for never.
    var heartbeatAt: Double? { contents.withLock { $0.heartbeatAt } }

    /// Records that the broker accepted the connection; returns whether it has lost the lane's session.
    @discardableResult
    func connected(sessionPresent: Bool, at monotonic: Double) -> Bool {
        contents.withLock { contents in
            defer { contents.expectsSession = true }
            contents.isConnected = true
            contents.hasDelivered = false
            contents.heartbeatAwaitedSince = min(contents.heartbeatAwaitedSince, monotonic)
            contents.awaitBacklog(at: monotonic)
            contents.hasReleased = false
            contents.hasDrained = false
            return contents.expectsSession && !sessionPresent
        }
    }

    /// Records that the connection ended; `becauseSilent` where the gateway ends it, as it delivered nothing any more: the wait
    /// for a heartbeat goes on then.
    func disconnected(becauseSilent: Bool = false) {
        contents.withLock { contents in
            contents.isConnected = false
            if becauseSilent { contents.hasDelivered = false }
            if contents.hasDelivered { contents.heartbeatAwaitedSince = .infinity }
        }
    }

    /// Records that a batch was received; nothing else is read until it is settled.
    func received(at monotonic: Double) {
        contents.withLock { contents in
            contents.busySince = monotonic
            contents.receivedAt = monotonic
            contents.awaitingSince = nil
        }
    }

    /// Records that the open batch was settled.
    func settled() { contents.withLock { $0.busySince = nil } }

    /// Records that timers begin to fire, which may take seconds: nothing is read meanwhile.
    func beginTick(at monotonic: Double) { contents.withLock { $0.tickingSince = monotonic } }

    /// Records that the timers have fired: the time that they took is no silence of the broker.
    func endTick(at monotonic: Double) {
        contents.withLock { contents in
            if let since = contents.tickingSince { contents.awaitingSince? += monotonic - since }
            contents.tickingSince = nil
        }
    }

    /// Records that everything processed is committed.
    func committed() { contents.withLock { $0.stalledSince = nil } }

    /// Records that a batch was released: the broker delivers it again, in no reliable order.
    func released(at monotonic: Double) {
        contents.withLock { contents in
            contents.stalledSince = contents.stalledSince ?? monotonic
            contents.hasReleased = true
            contents.hasDrained = false
        }
    }

    /// Records that states were restored: the broker has the session they belong to, and delivers its backlog first.
    func expectBacklog(at monotonic: Double) {
        contents.withLock { contents in
            contents.expectsSession = true
            contents.backlogExpectedSince = monotonic
        }
    }

    /// How long the process was paused, in s, unless that was reported before; 0 for no pause.
    ///
    /// To be called before a batch is processed: a wait that begins with it is not extended by a pause before it.
    func takePause(at monotonic: Double) -> Double {
        contents.withLock { contents in
            contents.notePause(at: monotonic)
            return contents.takePause()
        }
    }

    /// Which waits may end and whether timers fire at `monotonic`.
    func pace(at monotonic: Double) -> LanePace {
        contents.withLock { contents in
            contents.notePause(at: monotonic)
            let paused = contents.takePause()
            if contents.isConnected, contents.hasCaughtUp(at: monotonic) { contents.backlogExpectedSince = nil }
            guard !contents.isReading(at: monotonic) else {
                let unread = contents.unreadSince.map { monotonic - $0 } ?? 0
                contents.unreadSince = nil
                // The queue is read in order: a missing frame will not arrive any more, a frame that a timer waits for will.
                return LanePace(expiring: .all, firesTimers: firesTimers(contents, at: monotonic), unreadSeconds: paused + unread)
            }
            let since = contents.unreadSince ?? contents.busySince ?? monotonic
            contents.unreadSince = since
            let isOff = !contents.expectsBacklog(at: monotonic) && !contents.isConnected && contents.stalledSince == nil
            let isTooLong = monotonic - since > Self.depthWaitSeconds
            return LanePace(
                expiring: isOff || isTooLong ? .depthOnly : .none, firesTimers: firesTimers(contents, at: monotonic),
                unreadSeconds: paused)
        }
    }

    /// Whether the gateway's clock shows at `monotonic` how long devices were silent.
    func firesTimers(at monotonic: Double) -> Bool {
        contents.withLock { contents in
            contents.notePause(at: monotonic)
            return firesTimers(contents, at: monotonic)
        }
    }

    /// Whether timers may fire: not while frames from before the start, or from a pause of the process, are still to be read. A lane that
    /// may fall behind fires none while it is behind or reads nothing, nor before the first messages after that: what a device sent meanwhile
    /// is still queued, or among these.
    private func firesTimers(_ contents: borrowing Contents, at monotonic: Double) -> Bool {
        if contents.expectsBacklog(at: monotonic) { return false }
        guard mayFallBehind else { return true }
        return contents.isReading(at: monotonic) && contents.unreadSince == nil && !contents.isBehind(at: monotonic)
    }

    /// Whether the lane reads more slowly than messages arrive, or the broker is too slow to show the opposite. A broker that delivers again
    /// what is not acknowledged in time then does so behind newer messages.
    func isBehind(at monotonic: Double) -> Bool { contents.withLock { $0.isBehind(at: monotonic) } }

    /// Whether everything that the broker had queued when it accepted the connection was received, and nothing was released.
    ///
    /// The broker delivers queued messages even after UNSUBACK. Heartbeats are published after that, so everything queued before is
    /// delivered before them. Without any heartbeat 10 s without messages are enough. Once true, it stays true until a batch is released or
    /// the lane connects again.
    func hasDrained(at monotonic: Double) -> Bool {
        contents.withLock { contents in
            contents.notePause(at: monotonic)
            let isSilent =
                !contents.hasReceivedHeartbeat && contents.busySince == nil
                && monotonic - max(contents.connectedAt, contents.receivedAt) > Self.catchingUpSeconds
            if contents.isConnected, !contents.hasReleased, contents.hasCaughtUp || isSilent { contents.hasDrained = true }
            return contents.hasDrained
        }
    }

    /// Whether the lane is connected and has received what the broker had queued when it connected; without heartbeats 10 s are enough.
    func isUpToDate(at monotonic: Double) -> Bool { contents.withLock { $0.isConnected && $0.hasCaughtUp(at: monotonic) } }

    /// Whether `message` is a heartbeat of this lane.
    func isHeartbeat(_ message: MQTTMessage) -> Bool { message.topic == topic }

    /// Records `message` if it is a heartbeat of this lane; returns false for every other message.
    func takeHeartbeat(_ message: MQTTMessage, at monotonic: Double) -> Bool {
        guard isHeartbeat(message) else { return false }
        guard let heartbeat = Heartbeat(message.payload) else { return true }
        contents.withLock { contents in
            contents.hasReceivedHeartbeat = true
            if heartbeat.instance == instance {
                if heartbeat.number > contents.lastBefore { contents.hasCaughtUp = true }
                contents.heartbeatAt = monotonic
                contents.hasDelivered = true
                contents.heartbeatAwaitedSince = monotonic
                contents.lacksHeartbeat = false
                contents.underway.removeAll { $0.number <= heartbeat.number }
                contents.lastReceived = max(contents.lastReceived, heartbeat.number)
            }
        }
        return true
    }

    /// Records that no heartbeats can be published: none is awaited.
    func awaitNoHeartbeat(at monotonic: Double) {
        contents.withLock { $0.heartbeatAwaitedSince = max($0.heartbeatAwaitedSince, monotonic) }
    }

    /// Whether the lane was connected for too long without a heartbeat, and none has come since: the broker delivers nothing, or
    /// the lane is behind.
    func lacksHeartbeat(at monotonic: Double) -> Bool {
        contents.withLock { contents in
            contents.notePause(at: monotonic)
            let isOverdue = monotonic - contents.heartbeatAwaitedSince > Self.heartbeatSeconds
            if contents.isConnected, isOverdue { contents.lacksHeartbeat = true }
            return contents.lacksHeartbeat
        }
    }

    /// The number of the last heartbeat that was published while the lane was connected; 0 for none.
    var lastPublished: Int { contents.withLock(\.lastPublished) }

    /// Whether the lane is connected and has received a heartbeat with that number or a later one.
    func hasReceived(_ number: Int) -> Bool { contents.withLock { $0.isConnected && $0.lastReceived >= number } }

    /// Records that heartbeats are due, which is every half second. A much longer interval shows that the process did not run: that is no
    /// silence of the devices, and the lane counts as not reading until a heartbeat from after it is received.
    func heartbeatsDue(at monotonic: Double) {
        contents.withLock { contents in
            contents.notePause(at: monotonic)
            if !contents.isConnected, let last = contents.roundAt { contents.heartbeatAwaitedSince += monotonic - last }
            contents.roundAt = monotonic
        }
    }

    /// Records that a heartbeat was published while the lane was connected.
    func heartbeatPublished(_ number: Int, at monotonic: Double) {
        contents.withLock { contents in
            contents.lastPublished = max(contents.lastPublished, number)
            if contents.underway.count < 64 { contents.underway.append((number, monotonic, nil)) }
        }
    }

    /// Records that the broker accepted a published heartbeat. One that was received is not awaited.
    func heartbeatAccepted(_ number: Int, at monotonic: Double) {
        contents.withLock { contents in
            guard number > contents.lastReceived else { return }
            if let index = contents.underway.firstIndex(where: { $0.number == number }) {
                contents.underway[index].acceptedAt = monotonic
            }
            guard contents.isConnected, !contents.isWorking else { return }
            contents.awaitingSince = contents.awaitingSince ?? monotonic
        }
    }

    /// Records that the broker refused a published heartbeat.
    func heartbeatRefused(_ number: Int) {
        contents.withLock { contents in contents.underway.removeAll { $0.number == number } }
    }

    /// Whether the broker accepts heartbeats and has never delivered one: its ACL may not let the account read them.
    func isHeartbeatMissing(at monotonic: Double) -> Bool {
        contents.withLock { contents in
            guard contents.isConnected, !contents.hasReceivedHeartbeat, !contents.isWorking else { return false }
            return contents.isIdleOrOverdue(at: monotonic)
        }
    }

    /// Whether the connection is up and has delivered nothing for too long.
    func isSilent(at monotonic: Double) -> Bool {
        contents.withLock { contents in
            guard contents.isConnected, contents.hasReceivedHeartbeat, !contents.isWorking else { return false }
            return contents.awaitingSince.map { monotonic - $0 > Self.silenceSeconds } ?? false
        }
    }
}
