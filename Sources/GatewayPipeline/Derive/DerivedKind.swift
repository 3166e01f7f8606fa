package import TelemetryModel

/// One kind of derived message: its path, its fields and its identity. Encoder and documentation use it.
package final class DerivedKind<Body>: Sendable {
    /// The path after `out/`; a second level that depends on the body is a placeholder, such as `access/{stream}`.
    package let name: String
    /// Whether the broker keeps the latest message.
    package let isRetained: Bool
    /// Whether its messages are kept for the query `events`: events and summaries are, most states are not.
    package let isKept: Bool
    /// Whether its messages are series of samples, each larger than all others of the device together: they are not kept for requests.
    package let holdsSamples: Bool
    /// What it is, in one sentence.
    package let summary: String
    /// The fields in the order they are written.
    package let fields: [DerivedField<Body>]
    /// How views show it; nil where they list its fields.
    package let view: KindView?
    /// The second levels of the path, where there is a closed list of them.
    package let levels: [String]
    /// Whether it is derived from streams of several lanes, though they share its topic.
    package let isPerStream: Bool

    /// The first level of the path.
    let family: String
    /// The names of the fields with their values, without what describes them.
    let values: [(name: StaticString, value: @Sendable (Body) -> FieldValue)]

    let level: (@Sendable (Body) -> String)?
    /// The path up to the placeholder.
    let prefix: String
    let discriminator: @Sendable (Body) -> String

    /// A kind.
    ///
    /// - Parameters:
    ///   - isKept: Whether its messages are kept for the query `events`; by default those that are not retained.
    ///   - holdsSamples: Whether its messages are series of samples.
    ///   - isPerStream: Whether it is derived from streams of several lanes, though they share its topic.
    ///   - levels: The second levels of the path, where there is a closed list of them.
    ///   - level: The second level of the path, where the name has a placeholder for it.
    ///   - view: How views show it; by default by its fields.
    ///   - discriminator: What distinguishes two events at one instant. Made of fixed tokens: a value that gets another name on the
    ///     wire keeps its token, and so its ids.
    package init(
        _ name: String, retained isRetained: Bool, kept isKept: Bool? = nil, samples holdsSamples: Bool = false,
        perStream isPerStream: Bool = false, _ summary: String, levels: [String] = [],
        level: (@Sendable (Body) -> String)? = nil,
        fields: [DerivedField<Body>], view: KindView? = nil, discriminator: @escaping @Sendable (Body) -> String
    ) {
        self.name = name
        self.isRetained = isRetained
        self.isKept = isKept ?? !isRetained
        self.holdsSamples = holdsSamples
        self.isPerStream = isPerStream
        self.summary = summary
        self.levels = levels
        self.level = level
        self.fields = fields
        self.view = view
        self.discriminator = discriminator
        prefix = String(name.prefix { $0 != "{" })
        family = String(name.prefix { $0 != "/" })
        values = fields.map { ($0.name, $0.value) }
    }

    /// The path of one message after `out/`.
    package func path(of body: Body) -> String {
        guard let level else { return name }
        return prefix + level(body)
    }
}

/// One field of a kind.
package struct DerivedField<Body>: Sendable {
    /// The key.
    package let name: StaticString
    /// What its value is.
    package let type: FieldType
    /// The unit; nil where it has none.
    package let unit: String?
    /// The texts that it takes; empty where they are not a closed list.
    package let values: [String]
    /// The keys of a field that is an object; empty for every other.
    package let components: [String]
    /// What it is, and when it is null or absent, in one sentence.
    package let summary: String
    /// Its value in one message.
    package let value: @Sendable (Body) -> FieldValue

    /// A field whose value is of no type below, or is not always written.
    package init(
        _ name: StaticString, type: FieldType = .other, unit: String? = nil, values: [String] = [], components: [String] = [],
        _ summary: String, value: @escaping @Sendable (Body) -> FieldValue
    ) {
        self.name = name
        self.type = type
        self.unit = unit
        self.values = values
        self.components = components
        self.summary = summary
        self.value = value
    }
}

extension DerivedField {
    /// A text; with `values` one of these.
    package static func text(
        _ name: StaticString, values: [String] = [], _ summary: String, _ value: @escaping @Sendable (Body) -> String?
    ) -> Self {
        Self(name, type: .text, values: values, summary) { .text(value($0)) }
    }

    /// The raw value of one case of an enumeration.
    package static func choice<Choice: CaseIterable & RawRepresentable<String> & SendableMetatype>(
        _ name: StaticString, _ summary: String, _ value: @escaping @Sendable (Body) -> Choice?
    ) -> Self {
        .text(name, values: Choice.allCases.map(\.rawValue), summary) { value($0)?.rawValue }
    }

    /// A number.
    package static func number(
        _ name: StaticString, unit: String? = nil, _ summary: String, _ value: @escaping @Sendable (Body) -> Double?
    ) -> Self {
        Self(name, type: .number, unit: unit, summary) { .number(value($0)) }
    }

    /// A whole number.
    package static func integer(
        _ name: StaticString, unit: String? = nil, _ summary: String, _ value: @escaping @Sendable (Body) -> Int?
    ) -> Self {
        Self(name, type: .number, unit: unit, summary) { .integer(value($0)) }
    }

    /// A time in s, to the microsecond.
    package static func seconds(
        _ name: StaticString, _ summary: String, _ value: @escaping @Sendable (Body) -> Double?
    ) -> Self {
        Self(name, type: .number, unit: "s", summary) { .seconds(value($0)) }
    }

    /// An instant of the device's clock.
    package static func instant(
        _ name: StaticString, _ summary: String, _ value: @escaping @Sendable (Body) -> DeviceTime?
    ) -> Self {
        Self(name, type: .instant, summary) { .instant(value($0)) }
    }

    /// An instant of the wall clock.
    package static func time(
        _ name: StaticString, _ summary: String, _ value: @escaping @Sendable (Body) -> UnixTime?
    ) -> Self {
        Self(name, type: .instant, summary) { .seconds(value($0)?.seconds) }
    }

    /// True or false.
    package static func flag(
        _ name: StaticString, _ summary: String, _ value: @escaping @Sendable (Body) -> Bool?
    ) -> Self {
        Self(name, type: .flag, summary) { .flag(value($0)) }
    }
}

/// What the value of a field is.
package enum FieldType: Sendable, Equatable {
    /// A text.
    case text
    /// A number.
    case number
    /// True or false.
    case flag
    /// An instant, written as unix time.
    case instant
    /// A list, an object, or the id of another message.
    case other
}

/// The value of a field; nil is written as null.
package enum FieldValue: Sendable, Equatable {
    /// A text.
    case text(String?)
    /// A number in its shortest form; null where it is not finite.
    case number(Double?)
    /// A whole number.
    case integer(Int?)
    /// True or false.
    case flag(Bool?)
    /// Seconds, to the microsecond.
    case seconds(Double?)
    /// An instant of the device's clock, written as unix time.
    case instant(DeviceTime?)
    /// Columns of samples.
    case columns(FieldColumns)
    /// A list of texts.
    case texts([String])
    /// A list of pairs of whole numbers: the first and the last of each range.
    case ranges([ClosedRange<UInt64>])
    /// The components x, y, z, w.
    case quaternion(SIMD4<Double>)
    /// The values of intervals of `interval` seconds.
    case profile(interval: Double, values: [Double?])
    /// A signal at even intervals.
    case signal(SwingTrace.Signal)
    /// The id of another message of the device, derived from the same source.
    case message(kind: String, at: DeviceTime, discriminator: String)
    /// Nothing is written at all.
    case absent
}

/// The columns of a field; indirect, as few messages have any, and all copy the values of their fields.
package indirect enum FieldColumns: Sendable, Equatable {
    /// Instants of the device's clock in s, written as unix times.
    case instants([Double])
    /// x, y and z.
    case vectors(VectorColumns)
    /// x, y, z and w.
    case quaternions(QuaternionColumns)
    /// Numbers; nil is written as null.
    case numbers([Double?])
    /// Truth values, written as 1 and 0.
    case bits([Bool])
    /// x, y and z of one row.
    case row(SIMD3<Double>)
}
