package import TelemetryModel

/// An instant at the gateway, on both of its clocks.
///
/// Live, the two are the system's; in a replay both follow the recording's `at`.
package struct GatewayTime: Sendable, Equatable, Codable {
    /// The wall clock, for published times. May jump.
    package var unix: UnixTime
    /// Seconds on a clock that never goes back, for every waiting time.
    package var monotonic: Double

    /// The greatest number of seconds of a clock that counts as a time: some 3,000 years.
    private static let greatestSeconds = 1e11

    /// Whether both clocks are finite and in a range in which times can be compared; what is stored or received may be otherwise.
    package var isPossible: Bool { [unix.seconds, monotonic].allSatisfy { abs($0) < Self.greatestSeconds } }

    /// An instant given on both clocks.
    package init(unix: UnixTime, monotonic: Double) {
        self.unix = unix
        self.monotonic = monotonic
    }
}

/// Which waits for missing messages may end: while nothing can be read, what is missing cannot arrive either.
package enum WaitExpiry: Sendable, Equatable {
    /// All of them.
    case all
    /// Those for depth only: an alarm that was received must not wait for a frame that cannot arrive.
    case depthOnly
    /// No wait ends.
    case none
}
