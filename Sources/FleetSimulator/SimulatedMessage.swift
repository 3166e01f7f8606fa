/// What one simulated device publishes at one instant.
package struct SimulatedMessage: Sendable, Hashable {
    /// When the device sends it, unix seconds.
    package let at: Double

    /// The id of the device, the second part of its topic.
    package let device: String

    /// The last part of the topic.
    package let stream: SimulatedStream

    /// Whether the broker is to keep it: true for `status` and `workout`.
    package let retain: Bool

    /// The frame: compact JSON of schema `wearables/1`, UTF-8.
    package let payload: [UInt8]

    /// The topic under a root: `{root}/{device}/in/{stream}`.
    package func topic(root: String = "wearables") -> String {
        "\(root)/\(device)/in/\(stream.rawValue)"
    }
}

/// The incoming streams that simulated devices use, by their names on the wire.
package enum SimulatedStream: String, Sendable, Hashable, CaseIterable {
    /// Attitude and motion of a head.
    case headphoneMotion = "headphone-motion"
    /// Headphones put in or taken out.
    case headphoneConnection = "headphone-connection"
    /// About a second of 800 Hz acceleration and 200 Hz motion.
    case batchedIMU = "batched-imu"
    /// Depth, pressure, water temperature and submersion events.
    case submersion
    /// Online or offline, and what the device is.
    case status
    /// The state of the wearer's workout.
    case workout
}
