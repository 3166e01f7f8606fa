package import TelemetryModel

/// A class of streams that must not wait for another's; state is kept by (lane, device).
package enum Lane: String, Sendable, Hashable, Codable, CaseIterable {
    /// Depth and presence: what somebody may be waiting for.
    case safety
    /// Motion sample by sample.
    case motion
    /// Seconds of data at a time.
    case bulk

    /// The lane a stream rides on. A derivation lives in one lane, so the streams it needs share one: the connection of
    /// headphones is judged from their motion, and commands are for what motion derives.
    package init(for stream: StreamName) {
        switch stream {
        case .submersion, .status, .workout: self = .safety
        case .headphoneMotion, .headphoneConnection, .deviceMotion, .command, .pedometer, .altimeter: self = .motion
        case .batchedIMU, .recordedAccelerometer: self = .bulk
        }
    }
}
