package import TelemetryModel

/// The settings of the pipeline.
package struct PipelineSettings: Sendable {
    /// The root and the mount levels of topics.
    package var topics = TopicLayout()
    /// The gateway's name in `fathom/{gateway}`.
    package var gateway: Identifier
    /// Identifies the derivation settings in every message.
    package var configurationFingerprint = "0000"
    /// The producers with topics and payloads of their own.
    package var producers = Producers()
    /// How large and how deep a payload may be.
    package var decode = DecodeLimits()
    /// How long messages may wait, and how many.
    package var intake = IntakeLimits()
    /// Frames older than this are refused; nil for never.
    package var maximumAgeSeconds: Double?
    /// How many bytes may wait in all devices together.
    package var waitingBytes = 64 * 1_024 * 1_024
    /// How many devices that are not in the registry may have state, where they are admitted.
    package var unregisteredDevices = Self.unregisteredDevices
    /// How long a device must be silent, in s, before its state may be dropped to make room.
    package var idleStateSeconds = 600.0
    /// How many rejections a second are published for each device and reason.
    package var rejectedPerSecond = Self.rejectedPerSecond
    /// The nominal rate of a batch's accelerometer in Hz.
    package var accelerometerHertz = 800.0
    /// The nominal rate of a batch's device motion in Hz.
    package var deviceMotionHertz = 200.0
    /// Whether raw motion is fused with the magnetic field, where there is one.
    package var fusesMagneticField = false
    /// What a device may cost.
    package var budget = BudgetSettings()
    /// How histories are kept.
    package var history = HistorySettings()
    /// Whether `out/committed/{stream}` is published.
    package var publishesCommitted = false
    /// Whether events carry their id and instant as user properties.
    package var hasEventProperties = false
    /// The kinds that are published at QoS 0.
    package var droppableKinds: Set<String> = []
    /// Whether the pipeline reports which kinds its devices have.
    package var reportsKinds = false
    /// The derivations and their settings.
    package var derive = DeriveSettings()

    /// The default of `unregisteredDevices`.
    package static let unregisteredDevices = 10_000
    /// The default of `rejectedPerSecond`.
    package static let rejectedPerSecond = 1.0

    /// The defaults, for a gateway of that name.
    package init(gateway: Identifier) { self.gateway = gateway }
}
