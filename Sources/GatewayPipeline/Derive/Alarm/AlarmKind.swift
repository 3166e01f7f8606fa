import TelemetryModel

extension Alarm: DerivedBody {
    /// `alarm/{level}`.
    package static let kind = DerivedKind<Self>(
        "alarm/{level}", retained: true, kept: true,
        "An alarm of the device: raised, acknowledged or cleared. The level is the rule's name, and with it the stream or subject where the rule is about each of several.",
        level: \.level,
        fields: [
            .text("alarm", "The name of the rule.", \.name),
            .text(
                "severity", values: AlarmSeverity.allCases.reversed().map(\.rawValue), "How urgent it is.", \.severity.rawValue),
            .choice("state", "Whether it is raised.", \.state),
            .init("since", type: .instant, "When it was raised.") { .instant($0.since) },
            .init("clearedAt", type: .instant, "When it was cleared; null while it is raised.") {
                $0.clearedAt.map { .instant($0) } ?? .text(nil)
            },
            .init("value", "The text or number that raised it; null where the absence of messages did.") { alarm in
                switch alarm.value {
                case .text(let text)?: .text(text)
                case .number(let number)?: .number(number)
                case nil: .text(nil)
                }
            },
            .text("sourceKind", "The kind that raised it: the path of the message after `out/`.", \.sourceKind),
            .text("field", "The field that raised it; null where the absence of messages did.", \.field),
            .text(
                "acknowledgedBy", "Who has acknowledged it, in the words of who asked; null where nobody has.", \.acknowledgedBy),
            .time("acknowledgedAt", "When; null where nobody has.", \.acknowledgedAt),
            .integer("count", "How often it was raised since it appeared: one that changes often is one alarm.", \.count),
        ],
        // Views show alarms by themselves.
        view: KindView()
    ) { alarm in
        // A start of the gateway may have raised it, and another start, where that was not stored, at another instant.
        "\(alarm.state.rawValue):\(alarm.count):\(alarm.since.seconds)"
    }

    /// The path after `out/` of the alarm with a level.
    package static func path(of level: String) -> String { kind.prefix + level }

    /// The level of an alarm by its path after `out/`; nil for a message that is none.
    static func level(of path: String) -> Substring? {
        path.hasPrefix(kind.prefix) ? path.dropFirst(kind.prefix.count) : nil
    }
}

extension Alarm.Instant {
    /// The seconds on its clock.
    fileprivate var seconds: Double {
        switch self {
        case .device(let time): time.seconds
        case .wall(let time): time.seconds
        }
    }
}

extension FieldValue {
    fileprivate static func instant(_ instant: Alarm.Instant) -> FieldValue {
        switch instant {
        case .device(let time): .instant(time)
        case .wall(let time): .seconds(time.seconds)
        }
    }
}

/// The end of an alarm: its topic is emptied.
struct AlarmEnd: DerivedBody {
    /// What follows `alarm/` in its topic.
    let level: String

    static let kind = DerivedKind<Self>("alarm/{level}", retained: true, "The end of an alarm.", level: \.level, fields: []) {
        _ in
        "ended"
    }

    /// Nothing is published but an empty message.
    var isEnd: Bool { true }
}
