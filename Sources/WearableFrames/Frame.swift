/// The streams that a `FrameBuilder` writes; the raw value is the last level of the topic.
public enum FrameStream: String, Sendable, Hashable, CaseIterable, Codable {
    /// Motion of a head (`CMHeadphoneMotionManager`).
    case headphoneMotion = "headphone-motion"
    /// Headphones connected or disconnected.
    case headphoneConnection = "headphone-connection"
    /// Motion of a device, sample by sample (`CMMotionManager`).
    case deviceMotion = "device-motion"
    /// About a second of acceleration and motion (`CMBatchedSensorManager`).
    case batchedIMU = "batched-imu"
    /// Depth, water temperature and submersion events (`CMWaterSubmersionManager`).
    case submersion
    /// Steps, distance, pauses and resumptions (`CMPedometer`).
    case pedometer
    /// Altitude and the pressure of the air (`CMAltimeter`).
    case altimeter
    /// The accelerometer's history (`CMSensorRecorder`).
    case recordedAccelerometer = "recorded-accelerometer"
    /// What Apple's movement disorder manager found (`CMMovementDisorderManager`).
    case movementDisorder = "movement-disorder"
    /// Online or offline, and what the device is.
    case status
    /// The state of the workout session.
    case workout
    /// A command to what is derived of the device.
    case command

    /// Whether the broker keeps the last frame: `status` and `workout` only. Telemetry is never retained.
    public var isRetained: Bool { self == .status || self == .workout }
}

/// One message of a device, complete and valid, to be published at QoS 1.
public struct Frame: Sendable, Hashable {
    /// `{root}/{device}/in/{stream}`.
    public let topic: String

    /// The stream.
    public let stream: FrameStream

    /// The boot that the `seq` counts in.
    public let boot: WireID

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
