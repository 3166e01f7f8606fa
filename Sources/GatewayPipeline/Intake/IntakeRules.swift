import TelemetryModel

/// The parameters of an intake call, beside its own state and the message.
package struct IntakeRules {
    /// The instant of the call.
    package var now: GatewayTime
    /// How long and how much may wait.
    package var limits: IntakeLimits
    /// Decodes messages that waited.
    package var decoder: MessageDecoder
    /// Whether messages that begin to wait keep what was decoded.
    package var keepsDecoded: Bool
    /// Whether the device's app sends standardised units and signs; nil to measure it.
    package var isStandardised: Bool?
    /// Whether frames of `batched-imu` need a workout and none is known.
    package var awaitsWorkout: Bool
    /// When the broker resumed the session of a gateway before this one, which has processed what came before; nil if it did
    /// not, or if what was processed is known.
    package var resumedAt: GatewayTime?
    /// Whether timers that are due by the gateway's clock fire when a frame arrives.
    package var firesTimers: Bool
    /// Until when the broker may deliver frames again that come behind newer ones, on the gateway's monotonic clock; nil where it does
    /// not.
    package var redeliveryUntil: Double?

    /// What the broker may deliver again at the instant of the call.
    var redelivery: Redelivery { Redelivery(until: redeliveryUntil, at: now) }
}
