import TelemetryModel

/// What the gateway does otherwise while the broker may deliver frames again, behind newer ones. Every such rule is here; the stages ask.
///
/// It may for `mqtt.redeliverySeconds` after a session was resumed, and after a lane did not acknowledge in time. A frame that is missing then
/// may still come, in any order and long after those behind it, so nothing is concluded from its absence until the time is over.
package struct Redelivery: Sendable, Equatable {
    /// Until when, on the gateway's monotonic clock; nil where the broker delivers nothing again.
    package let until: Double?

    /// The broker delivers nothing again.
    static let none = Redelivery(until: nil, at: GatewayTime(unix: UnixTime(0), monotonic: 0))

    /// Redelivery up to `until`; none where that is over.
    package init(until: Double?, at now: GatewayTime) {
        self.until = until.flatMap { now.monotonic < $0 ? $0 : nil }
    }

    /// Until when what begins now lasts; nil where the settings await nothing.
    static func end(ofOneFrom now: GatewayTime, _ limits: IntakeLimits) -> Double? {
        limits.redeliverySeconds > 0 ? now.monotonic + limits.redeliverySeconds : nil
    }

    /// Whether the broker may deliver frames again.
    package var isAwaited: Bool { until != nil }

    // MARK: Order

    /// When a message stops waiting for an earlier one, instead of at `end`.
    func end(ofWait end: Double) -> Double { until.map { max(end, $0) } ?? end }

    /// Whether more of one scope waits for earlier frames than may: bytes alone count, as any number of frames may be delivered again.
    func exceeds(_ load: (count: Int, bytes: Int), _ limits: IntakeLimits) -> Bool {
        isAwaited ? load.bytes > limits.redeliveryBytes && load.count > 0 : limits.isExceeded(by: load)
    }

    /// How many places ahead of the expected `seq` a rejected message may take one, while so many of its scope wait.
    func places(_ limits: IntakeLimits, waiting: @autoclosure () -> Int) -> Int {
        max(1, limits.reorderFrames) + (isAwaited ? waiting() : 0)
    }

    /// Whether a last will ends what waits: the device sends nothing more, but what it has sent may come.
    var endsWithLastWill: Bool { !isAwaited }

    /// Whether frames that begin to wait show their depths before they are in order: that may take a minute.
    var showsDepthsEarly: Bool { isAwaited }

    /// Whether messages come in the order and at the pace of sending. Another run of a boot is recognised by both.
    var keepsPace: Bool { !isAwaited }

    // MARK: Timers

    /// Up to where timers run by the first samples that wait: before all of a stream of which frames are missing.
    func limits(_ waiting: WaitingStreams) -> [StreamName: DeviceTime] {
        guard isAwaited else { return waiting.first }
        return waiting.first.merging(waiting.incomplete.map { ($0, DeviceTime(-.infinity)) }) { $1 }
    }

    /// Whether the timers of a derivation are held: they conclude from the absence of frames what such a frame contradicts. Frames in order
    /// show that their stream is complete; activity is on all streams.
    func holdsTimers(of declaration: DerivationDeclaration, isComplete: Bool) -> Bool {
        isAwaited && (declaration.followsActivity || (declaration.decidesAtEnd && !isComplete))
    }
}
