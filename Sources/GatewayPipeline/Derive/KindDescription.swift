import TelemetryModel

/// A kind of derived message without its types, for documentation and views.
package struct KindDescription: Sendable {
    /// One field.
    package struct Field: Sendable, Equatable {
        /// The key.
        package let name: String
        /// What its value is.
        package let type: FieldType
        /// The unit; nil where it has none.
        package let unit: String?
        /// The texts that it takes; empty where they are not a closed list.
        package let values: [String]
        /// The keys of a field that is an object; empty for every other.
        package let components: [String]
        /// What it is.
        package let summary: String

        /// The unit as people write it.
        package var symbol: String? { unit == "C" ? "°C" : unit }

        /// A field.
        package init(
            name: String, type: FieldType = .other, unit: String? = nil, values: [String] = [], components: [String] = [],
            summary: String = ""
        ) {
            self.name = name
            self.type = type
            self.unit = unit
            self.values = values
            self.components = components
            self.summary = summary
        }
    }

    /// The path after `out/`; a second level that depends on the content is a placeholder.
    package let name: String
    /// Whether the broker keeps the latest message.
    package let isRetained: Bool
    /// Whether its messages may be published at QoS 0: neither the broker nor the gateway keeps them, and all are on one topic.
    package private(set) var mayBeLost = false
    /// What it is.
    package let summary: String
    /// The fields in the order they are written.
    package let fields: [Field]
    /// How views show it.
    package let view: KindView
    /// The kind whose values its columns hold, sample by sample; nil for one that has no such columns.
    package let sampledKind: String?

    /// A kind.
    package init(
        name: String, isRetained: Bool, summary: String = "", fields: [Field], view: KindView? = nil, sampledKind: String? = nil
    ) {
        self.name = name
        self.isRetained = isRetained
        self.summary = summary
        self.fields = fields
        self.view = view ?? (sampledKind == nil ? .fields(isRetained: isRetained) : KindView())
        self.sampledKind = sampledKind
    }

    /// The kind of a body.
    package init<Body: DerivedBody>(of body: Body.Type) {
        let kind = body.kind
        let fields = kind.fields.map {
            Field(
                name: "\($0.name)", type: $0.type, unit: $0.unit, values: $0.values, components: $0.components,
                summary: $0.summary)
        }
        self.init(
            name: kind.name, isRetained: kind.isRetained, summary: kind.summary, fields: fields, view: kind.view,
            sampledKind: (body as? any SampleSeries.Type)?.sampledKind)
        mayBeLost = !kind.isRetained && !kind.isKept && kind.level == nil
    }

    /// Whether a message with this path after `out/` is of the kind.
    package func covers(_ path: some StringProtocol) -> Bool { Self.covers(path, by: name) }

    /// Whether a message with this path after `out/` is of the kind with this name.
    static func covers(_ path: some StringProtocol, by name: String) -> Bool {
        guard let placeholder = name.firstIndex(of: "{") else { return name == path }
        return path.hasPrefix(name[..<placeholder])
    }

    /// Every kind, in the order of the documentation.
    package static let all: [KindDescription] = bodies.map { KindDescription(of: $0) }

    private static let bodiesByName = Dictionary(uniqueKeysWithValues: bodies.map { ($0.name, $0) })

    /// The kind of a name, or of a path after `out/`; nil where none has it.
    static func body(of name: String) -> (any DerivedBody.Type)? {
        if let body = bodiesByName[name] { return body }
        guard let slash = name.firstIndex(of: "/") else { return nil }
        let level = name[name.index(after: slash)...]
        return bodies.first { $0.levels.contains { $0 == level } && $0.covers(name) }
    }

    /// The path of the kind `name` with a second level in place of the placeholder.
    static func path(_ name: String, _ level: String) -> String { String(name.prefix { $0 != "{" }) + level }

    /// The kind of a name, of a path after `out/`, or of the first level of several paths; nil where none has it.
    package static func named(_ name: String) -> KindDescription? {
        let body = body(of: name) ?? bodies.first { !$0.levels.isEmpty && $0.prefix == name + "/" }
        return body.flatMap { body in all.first { $0.name == body.name } }
    }

    /// The names of all kinds, and the paths of those with several that are known.
    package static let paths = bodies.flatMap { body in [body.name] + body.levels.map { body.prefix + $0 } }

    private static let bodies: [any DerivedBody.Type] = {
        var bodies: [any DerivedBody.Type] = []
        let own: [any DerivedBody.Type] = [AccessDecision.self, MotionConventionReport.self, Gap.self, Usage.self]
        for body in Derivations.declarations.flatMap(\.kinds) + own where !bodies.contains(where: { $0 == body }) {
            bodies.append(body)
        }
        return bodies
    }()
}
