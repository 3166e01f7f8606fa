package import TelemetryModel

/// When an alarm is raised: a rule over the derived messages of a device.
package struct AlarmRule: Sendable, Equatable {
    /// How its conditions are joined.
    package enum Join: String, Sendable, CaseIterable {
        /// Every one has to be true.
        case all
        /// One has to be true.
        case any
    }

    /// The most rules of a configuration, the shipped ones left out.
    package static let most = 1_000
    /// The most conditions of a rule.
    package static let mostConditions = 8

    /// Its name: the first level of the topic after `alarm/`.
    package var name: String
    /// How its conditions are joined.
    package var join = Join.all
    /// Its conditions, 1 to 8.
    package var conditions: [AlarmCondition]
    /// How urgent the alarm is.
    package var severity = AlarmSeverity.warning
    /// How long the rule has to be true before the alarm is raised, in s.
    package var afterSeconds = 0.0
    /// How long the rule has to be false before the alarm is cleared, in s.
    package var clearSeconds = 10.0
    /// The devices, each an id in which `*` stands for any characters; empty for all.
    package var devices: [String] = []
    /// Whether it is in force.
    package var isEnabled = true

    /// A rule.
    package init(_ name: String, _ severity: AlarmSeverity = .warning, _ conditions: [AlarmCondition] = []) {
        self.name = name
        self.severity = severity
        self.conditions = conditions
    }

    /// Whether it is about a device.
    package func applies(to device: DeviceID) -> Bool {
        devices.isEmpty || devices.contains { Self.matches(device.rawValue.utf8[...], $0.utf8[...]) }
    }

    /// Whether `text` has the form of `pattern`, in which `*` stands for any characters.
    private static func matches(_ text: Substring.UTF8View, _ pattern: Substring.UTF8View) -> Bool {
        var (text, pattern) = (text, pattern)
        // Where the last `*` was: what it stands for grows by one character with each mismatch.
        var retry: (text: Substring.UTF8View, pattern: Substring.UTF8View)?
        while let character = text.first {
            if pattern.first == UInt8(ascii: "*") {
                pattern = pattern.dropFirst()
                retry = (text, pattern)
            } else if pattern.first == character {
                (text, pattern) = (text.dropFirst(), pattern.dropFirst())
            } else if let last = retry {
                (text, pattern) = (last.text.dropFirst(), last.pattern)
                retry = (text, pattern)
            } else {
                return false
            }
        }
        return pattern.allSatisfy { $0 == UInt8(ascii: "*") }
    }
}

/// One condition of a rule.
package struct AlarmCondition: Sendable, Equatable {
    /// What has to be true of a field, or of the kind.
    package enum Test: Sendable, Equatable {
        /// The field has one of these values.
        case oneOf([Alarm.Value])
        /// The field is greater.
        case above(Double)
        /// The field is less.
        case below(Double)
        /// No message of the kind came for so many seconds of device time.
        case silent(Double)
    }

    /// The path after `out/`, or the name of a kind with a placeholder, which stands for all paths of it.
    package var kind: String
    /// The field; nil with `silent`.
    package var field: String?
    /// What has to be true.
    package var test: Test

    /// A condition on a field, or on the silence of a kind.
    package init(_ kind: String, _ field: String? = nil, _ test: Test) {
        self.kind = kind
        self.field = field
        self.test = test
    }
}

extension AlarmRule {
    /// Whether a condition is on one of `kinds`.
    func isAbout(_ kinds: Set<String>) -> Bool { conditions.contains { kinds.contains($0.kind) } }

    /// The rules that are in force without being configured.
    package static let shipped: [AlarmRule] = [
        AlarmRule(
            "past-limit", .critical,
            [AlarmCondition(depth, "state", .oneOf([state(.pastMaxDepth), state(.sensorDepthError)]))]),
        // At the surface the state is unknown where the sensor says so; that is no diver without contact.
        AlarmRule(
            "contact-lost", .critical,
            [
                AlarmCondition(depth, "state", .oneOf([state(.unknown)])),
                AlarmCondition(depth, "previous", .oneOf(DepthState.allCases.filter { $0 != .notSubmerged }.map(state))),
            ]),
        AlarmRule(
            "near-limit", .warning, [AlarmCondition(depth, "state", .oneOf([state(.approachingMaxDepth)]))]),
        // Batches outside of a workout are refused every day.
        AlarmRule(
            "refused", .warning,
            [
                AlarmCondition(
                    AccessDecision.name, "reason",
                    .oneOf(
                        AccessReason.allCases.filter { $0 != .allowed && $0 != .notInSession }.map { .text($0.rawValue) }))
            ]),
        AlarmRule(
            "silent", .info,
            [AlarmCondition("connection/device", "state", .oneOf([.text(ConnectionState.silent.rawValue)]))]),
    ]

    private static var depth: String { DepthStateChange.name }

    private static func state(_ state: DepthState) -> Alarm.Value { .text(state.name) }
}

extension AlarmCondition {
    /// The streams in whose lanes a kind is derived; that of an access decision is in its path.
    package static func streams(of kind: String) -> Set<StreamName> {
        if let stream = KindDescription.body(of: kind)?.homeStream { return [stream] }
        let level = kind.firstIndex(of: "/").map { String(kind[kind.index(after: $0)...]) }
        if let stream = level.flatMap(StreamName.init(rawValue:)) { return [stream] }
        return Set(Derivations.declarations.filter { $0.publishes(kind) }.flatMap(\.homeStreams))
    }
}
