import Mosquitto
import Synchronization

/// Whether anything still comes through the connection of one lane, and whether another gateway uses it.
final class LaneWatch: Sendable {
    /// How long a canary may be on its way through the broker.
    private static let silenceSeconds = 2.0

    private struct Contents {
        var isConnected = false
        var isBusy = false
        /// Whether the broker lets our canaries through to us; before one has come, silence means nothing.
        var isArmed = false
        /// When the broker took the first canary that nothing has come after; nil while something has.
        var awaitingSince: Double?
        var rivals = RivalTracker()
        var rival: Canary.Instance?
    }

    private let topic: String
    private let instance: Canary.Instance
    private let contents = Mutex(Contents())

    init(gateway: String, lane: String, instance: Canary.Instance) {
        topic = Canary.topic(gateway: gateway, lane: lane)
        self.instance = instance
    }

    /// The gateway that was there before us, once one is known.
    var rival: Canary.Instance? { contents.withLock { $0.rival } }

    func connected() {
        contents.withLock {
            $0.isConnected = true; $0.awaitingSince = nil
        }
    }

    func disconnected() { contents.withLock { $0.isConnected = false } }

    /// A batch has come; until it is settled nothing else is read.
    func heard() {
        contents.withLock {
            $0.isBusy = true; $0.awaitingSince = nil
        }
    }

    /// A batch was settled.
    func settled() {
        contents.withLock {
            $0.isBusy = false; $0.awaitingSince = nil
        }
    }

    /// Takes `message` if it is a canary of this lane; false for all others.
    func takeCanary(_ message: MQTTMessage, at monotonic: Double) -> Bool {
        guard message.topic == topic else { return false }
        guard let canary = Canary(message.payload) else { return true }
        contents.withLock { contents in
            contents.isArmed = true
            guard canary.instance != instance, let rival = contents.rivals.hear(canary, at: monotonic) else { return }
            if rival.precedes(instance) { contents.rival = rival }
        }
        return true
    }

    /// The broker has taken a canary that was sent while the lane was connected.
    func canaryAccepted(at monotonic: Double) {
        contents.withLock { contents in
            if contents.isConnected, !contents.isBusy { contents.awaitingSince = contents.awaitingSince ?? monotonic }
        }
    }

    /// Whether the connection is up and nothing comes through it.
    func isSilent(at monotonic: Double) -> Bool {
        contents.withLock { contents in
            guard contents.isConnected, contents.isArmed, !contents.isBusy, let since = contents.awaitingSince else {
                return false
            }
            return monotonic - since > Self.silenceSeconds
        }
    }
}
