/// Publishes frames by an MQTT client. `Examples/device-library` has adapters for CocoaMQTT and mqtt-nio.
public protocol FramePublisher: Sendable {
    /// Publishes `frames` in their order at QoS 1, each with its topic, payload, retain flag and content type.
    ///
    /// Returns when the broker has accepted all of them. Throws a `FrameRefusal` when the broker refuses one, by a PUBACK with a
    /// reason code of 0x80 or more on MQTT 5, and another error when the connection is lost before that: nothing more is sent then
    /// until `FrameSender.connected()` is called.
    func publish(_ frames: [Frame]) async throws
}

/// The broker has refused a frame of those that were to be published, and accepted those before it.
public struct FrameRefusal: Error, Hashable {
    /// The place of the frame among them.
    public let index: Int

    /// A refusal of the frame at `index`.
    public init(at index: Int) { self.index = index }
}
