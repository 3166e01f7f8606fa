package import TelemetryModel

/// An event that was derived, in device time; the publish stage encodes it.
package struct DerivedEvent: Sendable, Equatable {
    /// The instant of the event, not of its derivation.
    package var time: DeviceTime
    /// The device times of the samples it is derived from; `time` alone when nil.
    package var span: ClosedRange<DeviceTime>?
    /// The frames it is derived from.
    package var frames: Frames = .ofSpan
    /// The stream that it is derived from, where it is not that of the occurrence.
    package var stream: StreamName?
    /// Whether its times are on the wall clock, as of what a device recorded before, perhaps in another boot.
    package var isOnWallClock = false
    /// Its quality.
    package var quality: Quality = .valid
    /// Until when a retained value is valid without further data; nil where silence is normal.
    package var validUntil: DeviceTime?
    /// What was found.
    package var body: any DerivedBody

    /// Which frames an event names, by their `seq`.
    package enum Frames: Sendable, Equatable {
        /// Those of its span, as far as the history holds them.
        case ofSpan
        /// From this one, which the history may no longer hold, to that of the end of its span.
        case from(UInt64)
        /// These, first and last inclusive; none where they had no numbers or were of a boot that has ended.
        case named(ClosedRange<UInt64>?)

        /// Those that are named.
        var range: ClosedRange<UInt64>? { if case .named(let range) = self { range } else { nil } }
    }

    /// Whether everything is equal, the type of the body included.
    package static func == (left: Self, right: Self) -> Bool {
        left.time == right.time && left.span == right.span && left.frames == right.frames
            && left.stream == right.stream && left.isOnWallClock == right.isOnWallClock
            && left.quality == right.quality && left.validUntil == right.validUntil && left.body.isEqual(to: right.body)
    }
}

/// The content of one kind of derived message; its kind is declared with the derivation that publishes it.
package protocol DerivedBody: Sendable, Equatable {
    /// The kind's name, fields and identity.
    static var kind: DerivedKind<Self> { get }
    /// Whether the broker keeps the latest message for those who subscribe later; as the kind says by default.
    var isRetained: Bool { get }
    /// Whether it is the end of what its path says: an empty message is published in place of it; false by default.
    var isEnd: Bool { get }
    /// The stream whose lane derives the kind, where another of the derivation's streams is in another lane; nil by default.
    static var homeStream: StreamName? { get }
}

extension DerivedBody {
    /// The whole path after `out/`.
    package var path: String { Self.kind.path(of: self) }

    /// The name of the kind: the path after `out/`, with a placeholder for a second level that depends on the content.
    package static var name: String { kind.name }

    /// The first level of the path.
    var family: String { Self.kind.family }

    /// As the kind says.
    package var isRetained: Bool { Self.kind.isRetained }

    /// A message.
    package var isEnd: Bool { false }

    /// That of the derivation.
    package static var homeStream: StreamName? { nil }

    /// The second levels of the path, where there is a closed list of them.
    static var levels: [String] { kind.levels }

    /// The path up to the placeholder.
    static var prefix: String { kind.prefix }

    /// Whether it is derived from streams of several lanes, though they share its topic.
    static var isPerStream: Bool { kind.isPerStream }

    /// The place of a field; nil where there is none of that name.
    static func place(of field: String) -> Int? { kind.fields.firstIndex { "\($0.name)" == field } }

    /// The value of the field at a place.
    func value(at place: Int) -> FieldValue { Self.kind.values[place].value(self) }

    /// What distinguishes its topic, or its lane, from others of the kind; nil where there is one. `stream` is what it was derived from.
    func part(of stream: StreamName) -> String? { Self.kind.level?(self) ?? (Self.isPerStream ? stream.rawValue : nil) }

    /// Whether the message is kept for the query `events`.
    var isKept: Bool { Self.kind.isKept }

    /// Whether the message is a series of samples.
    var holdsSamples: Bool { Self.kind.holdsSamples }

    /// What distinguishes two events of one kind at one instant, so that two contents never share an id.
    var discriminator: String { Self.kind.discriminator(self) }

    /// Whether a message with this path after `out/` is of the kind.
    package static func covers(_ path: String) -> Bool { KindDescription.covers(path, by: name) }

    /// Whether `other` is of the same type and equal.
    func isEqual(to other: any DerivedBody) -> Bool { other as? Self == self }
}
