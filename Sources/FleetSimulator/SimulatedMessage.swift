package import WearableFrames

/// What one simulated device publishes at one instant.
package struct SimulatedMessage: Sendable, Hashable {
    /// When the device sends it, unix seconds.
    package let at: Double

    /// The id of the device, the second part of its topic.
    package let device: String

    /// The last part of the topic.
    package let stream: StreamName

    /// Whether the broker is to keep it: true for `status` and `workout`.
    package let retain: Bool

    /// The frame: compact JSON of schema `wearables/1`, UTF-8.
    package let payload: [UInt8]

    /// The topic under a root: `{root}/{device}/in/{stream}`.
    package func topic(root: String = "wearables") -> String {
        "\(root)/\(device)/in/\(stream.rawValue)"
    }
}
