package import TelemetryModel

/// The estimate of one device's clock in one boot.
package struct DeviceClock: Sendable, Equatable, Codable {
    /// The greatest uptime that the device has sent.
    private var uptime: DeviceTime?
    /// The gateway's monotonic clock when the frame with it arrived.
    private var arrival = 0.0
    /// `sent - uptime` of the frame that arrived last, if it had a `sent`.
    private var sentOffset: Double?
    /// The smallest (received - uptime) so far: that of the fastest frame.
    private var smallestOffset: Double?

    /// A clock before the first frame.
    package init() {}

    /// Records the clocks of a frame that arrived at `now`.
    package mutating func observe(_ header: FrameHeader, at now: GatewayTime) {
        // A frame that comes behind a later one shows nothing new: it rewinds no timer.
        if uptime.map({ header.uptime > $0 }) ?? true {
            uptime = header.uptime
            arrival = now.monotonic
        }
        sentOffset = header.sent.map { $0.seconds - header.uptime.seconds } ?? sentOffset
        let offset = now.unix.seconds - header.uptime.seconds
        smallestOffset = min(smallestOffset ?? offset, offset)
    }

    /// Seconds to add to device time to get unix time, by the frame's own `sent` or else by the fastest frame so far.
    package func offset(for header: FrameHeader) -> Double {
        if let sent = header.sent { return sent.seconds - header.uptime.seconds }
        return smallestOffset ?? 0
    }

    /// Whether frames arrived at the very instant of their uptime at most: they are timed by the gateway's own wall clock.
    var isTimedByArrival: Bool { smallestOffset == 0 }

    /// Moves every instant of the gateway's monotonic clock by `seconds`.
    mutating func shiftMonotonic(by seconds: Double) { arrival += seconds }

    /// The frame with the greatest uptime: its instant in unix time, whether that is by its own `sent`, and its arrival on the gateway's
    /// monotonic clock; nil before the first.
    var latest: (instant: Double, isSent: Bool, arrival: Double)? {
        guard let uptime, let latestOffset else { return nil }
        return (uptime.seconds + latestOffset, sentOffset != nil, arrival)
    }

    /// Seconds to add to device time to get unix time, by the frames so far; nil before the first.
    var latestOffset: Double? { sentOffset ?? smallestOffset }

    /// The device's time at `now`: its greatest uptime and the gateway's time since that frame arrived; nil before the first.
    package func estimate(at now: GatewayTime) -> DeviceTime? {
        uptime.map { $0 + max(0, now.monotonic - arrival) }
    }
}
