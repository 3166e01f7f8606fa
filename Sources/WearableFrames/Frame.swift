/// One message of a device, complete and valid, to be published at QoS 1.
public struct Frame: Sendable, Hashable {
    /// `{root}/{device}/in/{stream}`.
    public let topic: String

    /// The stream.
    public let stream: StreamName

    /// The boot that the `seq` counts in.
    public let boot: BootID

    /// The frame's `seq`, from 0 in each stream and boot.
    public let sequence: UInt64

    /// JSON of schema `wearables/1` in UTF-8, at most 256 KiB.
    public let payload: [UInt8]

    /// Whether to publish with the retain flag.
    public var retain: Bool { stream.isRetained }

    /// MQTT 5's content type.
    public var contentType: String { "application/json" }
}

/// The message that the broker publishes when the device vanishes, for CONNECT.
public struct LastWill: Sendable, Hashable {
    /// `{root}/{device}/in/status`.
    public let topic: String

    /// `status` offline, without `seq` and time: JSON in UTF-8.
    public let payload: [UInt8]

    /// True: `status` is retained.
    public var retain: Bool { true }

    /// MQTT 5's content type.
    public var contentType: String { "application/json" }
}
