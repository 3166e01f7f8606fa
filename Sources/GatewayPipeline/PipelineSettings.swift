package import TelemetryModel

/// Everything about the pipeline that can be set from outside.
package struct PipelineSettings: Sendable {
    /// Where topics stand.
    package var topics = TopicLayout()
    /// The gateway's name in `fathom/{gateway}`.
    package var gateway: Identifier
    /// Names the derivation settings in every message.
    package var configurationFingerprint = "0000"
    /// Who publishes in other ways than the contract's.
    package var producers = Producers()
    /// How large and how deep a payload may be.
    package var decode = DecodeLimits()
    /// How long messages wait, and how many.
    package var intake = IntakeLimits()
    /// Frames older than this are refused; nil for never.
    package var maximumAgeSeconds: Double?
    /// How many bytes may wait in all devices together.
    package var waitingBytes = 64 * 1_024 * 1_024
    /// How many devices that are not in the registry may have state, where they are let in.
    package var unregisteredDevices = 10_000
    /// How long a device must be silent, in s, before its state may be dropped to make room.
    package var idleStateSeconds = 600.0
    /// How many rejections a second are published for each device and reason.
    package var rejectedPerSecond = 1.0
    /// The nominal rate of a batch's accelerometer in Hz.
    package var accelerometerHertz = 800.0
    /// The nominal rate of a batch's device motion in Hz.
    package var deviceMotionHertz = 200.0
    /// Whether `out/committed/{stream}` is published.
    package var publishesCommitted = false
    /// The derivations and their settings.
    package var derive = DeriveSettings()

    /// The defaults, for a gateway of that name.
    package init(gateway: Identifier) { self.gateway = gateway }
}
