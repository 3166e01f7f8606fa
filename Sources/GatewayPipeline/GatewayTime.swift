package import TelemetryModel

/// An instant at the gateway, on both of its clocks.
///
/// Live, the two are the system's; in a replay both follow the recording's `at`.
package struct GatewayTime: Sendable, Equatable, Codable {
    /// The wall clock, for published times. May jump.
    package var unix: UnixTime
    /// Seconds on a clock that never goes back, for every waiting time.
    package var monotonic: Double

    /// An instant given on both clocks.
    package init(unix: UnixTime, monotonic: Double) {
        self.unix = unix
        self.monotonic = monotonic
    }
}
