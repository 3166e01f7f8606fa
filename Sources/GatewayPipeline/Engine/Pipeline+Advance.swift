internal import TelemetryModel

/// A clock that is set instead of read, for replays and tests.
extension Pipeline {
    /// Rounding must not cause a step just before a deadline, s.
    private static let resolution = 1e-3

    /// Advances `now` to each deadline in order, and then to `end`; `publish` gets what each step leads to, with `now` as it is then.
    package mutating func advance(
        _ now: inout GatewayTime, to end: GatewayTime, _ publish: ([OutboundMessage], GatewayTime) -> Void
    ) {
        while let deadline = nextDeadline(), deadline < end.monotonic {
            let next = max(deadline, now.monotonic) + Self.resolution
            guard next < end.monotonic else { break }
            now = GatewayTime(unix: UnixTime(now.unix.seconds + next - now.monotonic), monotonic: next)
            publish(tick(at: now), now)
        }
        now = end
        publish(tick(at: now), now)
    }
}
