package import TelemetryModel

/// A derived event with the origin that its message states.
package struct DerivedMessage: Sendable, Equatable {
    /// The frames a message is derived from.
    package struct Source: Sendable, Equatable {
        /// Their stream.
        package var stream: StreamName
        /// Their boot.
        package var boot: BootID
        /// The number of the run of the boot, from 2; nil for the first.
        package var run: Int?
        /// The first and last `seq`, inclusive; nil when the frames carry none.
        package var sequence: ClosedRange<UInt64>?
    }

    /// Whose it is.
    package var device: DeviceID
    /// The event; its times are of `boot`.
    package var event: DerivedEvent
    /// Its source; nil for changes by the operator or the gateway, which have no device time either.
    package var source: Source?
    /// The version of its derivation; 1 for what the gateway itself publishes.
    package var version = 1
    /// Seconds to add to device time to get unix time.
    package var offset: Double
    /// How far ahead of the gateway's the device's wall clock ran, beyond the allowance; nil when it did not.
    package var skew: Double?
    /// Whether its time is on the wall clock, as of a history, whose samples may be of any boot.
    var isOnWallClock = false
    /// When the gateway received the data it is derived from.
    package var received: UnixTime

    /// The instant of the event itself on the wall clock.
    package var at: UnixTime { UnixTime(event.time.seconds + offset) }

    /// Until when a retained value is valid without further data; nil where silence is normal. With a skew it is limited by the
    /// gateway's clock, as a value from the future would never expire.
    package var validUntil: UnixTime? {
        guard let until = event.validUntil else { return nil }
        let claimed = UnixTime(until.seconds + offset)
        return skew == nil ? claimed : min(claimed, received + (until - event.time))
    }

    /// Whether it has an instant on the device's clock.
    var hasDeviceTime: Bool { source != nil && !isOnWallClock }

    /// The id: the same input always gives the same one.
    package var id: String {
        MessageID.make(
            device: device, kind: event.body.path, boot: isOnWallClock ? nil : source?.boot, run: source?.run,
            anchorMicroseconds: !hasDeviceTime ? DeviceTime(at.seconds).microseconds : event.time.microseconds,
            discriminator: event.body.discriminator, quality: event.quality)
    }

    /// The id of a valid message of another kind that is derived from the same source.
    func idOfSibling(kind: String, at time: DeviceTime, discriminator: String) -> String {
        MessageID.make(
            device: device, kind: kind, boot: source?.boot, run: source?.run, anchorMicroseconds: time.microseconds,
            discriminator: discriminator, quality: .valid)
    }
}
