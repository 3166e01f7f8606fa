/// Publishes frames by an MQTT client. `Examples/device-library` has adapters for CocoaMQTT and mqtt-nio.
public protocol FramePublisher: Sendable {
    /// Publishes `frames` in their order at QoS 1, each with its topic, payload, retain flag and content type.
    ///
    /// Returns when the broker has acknowledged all of them. Throws only when the connection is lost before that: nothing more is
    /// sent then until `FrameSender.connected()` is called.
    func publish(_ frames: [Frame]) async throws
}
