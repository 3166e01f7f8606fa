/// Publishes frames by an MQTT client. `Examples/device-library` has adapters for CocoaMQTT and mqtt-nio.
public protocol FramePublisher: Sendable {
    /// Publishes `frames` in their order at QoS 1, each with its topic, payload, retain flag and content type.
    ///
    /// Returns when the broker has accepted all of them. Throws when the connection is lost before that, or when the broker
    /// refuses one: by a PUBACK with a reason code of 0x80 or more, on MQTT 5. Nothing more is sent then until
    /// `FrameSender.connected()` is called.
    func publish(_ frames: [Frame]) async throws
}
