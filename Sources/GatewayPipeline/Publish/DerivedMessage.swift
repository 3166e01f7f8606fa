package import TelemetryModel

/// A derived event with everything that its message states about its origin.
package struct DerivedMessage: Sendable, Equatable {
    /// The frames a message rests on.
    package struct Source: Sendable, Equatable {
        /// Their stream.
        package var stream: StreamName
        /// Their boot.
        package var boot: BootID
        /// The first and last `seq`, inclusive; nil when the frames carry none.
        package var sequence: ClosedRange<UInt64>?
    }

    /// Whose it is.
    package var device: DeviceID
    /// What was found; its times are of `boot`.
    package var event: DerivedEvent
    /// What it rests on; nil for what the operator or the gateway decided, which has no device time either.
    package var source: Source?
    /// The version of the derivation that found it; 1 for what the gateway itself decided.
    package var version = 1
    /// Seconds to add to device time to get unix time.
    package var offset: Double
    /// How far ahead of the gateway's the device's wall clock ran, beyond the allowance; nil when it did not.
    package var skew: Double?
    /// When the gateway had what made it known.
    package var received: UnixTime

    /// The instant of the event itself on the wall clock.
    package var at: UnixTime { UnixTime(event.time.seconds + offset) }

    /// From when on silence makes a retained value untrue; nil where silence is normal. With a skew it is no later than the
    /// gateway's clock allows, for a value from the future would never expire.
    package var validUntil: UnixTime? {
        guard let until = event.validUntil else { return nil }
        let claimed = UnixTime(until.seconds + offset)
        return skew == nil ? claimed : min(claimed, received + (until - event.time))
    }

    /// The id: the same input always gives the same one.
    package var id: String {
        MessageID.make(
            device: device, kind: event.body.path, boot: source?.boot,
            anchorMicroseconds: source == nil ? DeviceTime(at.seconds).microseconds : event.time.microseconds,
            discriminator: "\(event.body.discriminator):\(event.quality.rawValue)")
    }
}
