package import TelemetryModel

/// What a derivation found, in device time; the publish stage turns it into a message.
package struct DerivedEvent: Sendable, Equatable {
    /// The instant of the event itself, not of its discovery.
    package var time: DeviceTime
    /// The device times of the samples it rests on; `time` alone when nil.
    package var span: ClosedRange<DeviceTime>?
    /// The frames it rests on, first and last inclusive, where the derivation knows more than `span` shows.
    package var sequence: ClosedRange<UInt64>?
    /// The first frame it rests on, where that may be long forgotten; the last one is that of the end of `span`.
    package var firstSequence: UInt64?
    /// How far it can be trusted.
    package var quality: Quality
    /// From when on silence makes a retained value untrue; nil where silence is normal.
    package var validUntil: DeviceTime?
    /// What was found.
    package var body: any DerivedBody

    /// An event at `time`; valid, with no expiry, unless given otherwise.
    package init(
        time: DeviceTime, span: ClosedRange<DeviceTime>? = nil, sequence: ClosedRange<UInt64>? = nil,
        quality: Quality = .valid, validUntil: DeviceTime? = nil, body: any DerivedBody
    ) {
        self.time = time
        self.span = span
        self.sequence = sequence
        self.quality = quality
        self.validUntil = validUntil
        self.body = body
    }

    /// Whether everything is equal, the type of the body included.
    package static func == (left: Self, right: Self) -> Bool {
        left.time == right.time && left.span == right.span && left.sequence == right.sequence
            && left.firstSequence == right.firstSequence
            && left.quality == right.quality && left.validUntil == right.validUntil && left.body.isEqual(to: right.body)
    }
}
