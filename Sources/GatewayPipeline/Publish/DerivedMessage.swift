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
        /// Whether the gateway has fused its motion.
        package var isFused = false
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
    package var offset = 0.0
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

/// The id of a derived message: the same input always gives the same one.
///
/// 128-bit FNV-1a over the parts, each ended by a zero byte.
enum MessageID {
    /// 32 hexadecimal digits from what identifies an event: device, kind, boot, its run but for the first, anchor and what distinguishes equals, the quality included
    /// where there is one.
    static func make(
        device: DeviceID, kind: String, boot: BootID?, run: Int? = nil, anchorMicroseconds: Int64, discriminator: String,
        quality: Quality? = nil
    ) -> String {
        var hash = FNV1a128()
        func add(_ part: String) {
            hash.add(part)
            hash.addEnd()
        }
        add(device.rawValue)
        add(kind)
        hash.add(boot?.rawValue ?? "")
        if boot != nil, let run {
            // No id of a boot holds the sign.
            hash.add("~")
            hash.add(String(run))
        }
        hash.addEnd()
        add(String(anchorMicroseconds))
        hash.add(discriminator)
        if let quality {
            hash.add(":")
            hash.add(quality.rawValue)
        }
        hash.addEnd()
        return hash.digits
    }
}

/// A message to be published, at QoS 1.
package struct OutboundMessage: Sendable, Equatable {
    /// The whole topic.
    package var topic: String
    /// JSON; empty clears a retained message.
    package var payload: [UInt8]
    /// Whether it is retained.
    package var retain: Bool
    /// Seconds after which the message expires, on MQTT 5; nil for never.
    package var expirySeconds: UInt32?
    /// Whether a newer message on its topic replaces it; by default those that are retained.
    package var isState: Bool
    /// Whether it waits for no other messages: a depth state, or an alarm.
    package var isUrgent: Bool
    /// Whether it is published at QoS 0: the broker, and who subscribes, may not get it.
    package var mayBeLost = false
    /// The id and the instant of an event, published as user properties on MQTT 5; nil for none.
    package var event: EventProperties?

    /// The user properties of an event.
    package struct EventProperties: Sendable, Equatable {
        /// The message's `id`.
        package var id: String
        /// The message's `at`, as its payload has it.
        package var at: String
    }

    /// The content type of every message but the ones that clear.
    package static let contentType = "application/json"

    /// A message on `topic`.
    package init(
        topic: String, payload: [UInt8], retain: Bool = false, isState: Bool? = nil, expirySeconds: UInt32? = nil,
        isUrgent: Bool = false, event: EventProperties? = nil
    ) {
        self.topic = topic
        self.payload = payload
        self.retain = retain
        self.isState = isState ?? retain
        self.expirySeconds = expirySeconds
        self.isUrgent = isUrgent
        self.event = event
    }
}
