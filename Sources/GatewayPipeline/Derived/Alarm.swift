package import TelemetryModel

/// How urgent an alarm is, the most urgent last.
package enum AlarmSeverity: String, Sendable, Codable, CaseIterable, Comparable {
    /// To know.
    case info
    /// To look at.
    case warning
    /// To act on at once.
    case critical

    /// Orders by urgency.
    package static func < (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.info, .warning), (.info, .critical), (.warning, .critical): true
        default: false
        }
    }
}

/// One alarm of a device, as it is after a change.
package struct Alarm: Sendable, Equatable, Codable {
    /// Whether it is raised.
    package enum State: String, Sendable, Codable, CaseIterable {
        /// It is raised, and nobody has acknowledged it.
        case raised
        /// It is raised, and somebody has acknowledged it.
        case acknowledged
        /// It is over.
        case cleared
    }

    /// An instant of the device's clock, or of the wall clock where the device's has begun anew since.
    package enum Instant: Sendable, Equatable, Codable {
        /// Of the clock of the boot that goes on.
        case device(DeviceTime)
        /// Of the wall clock.
        case wall(UnixTime)
    }

    /// The value of a field.
    package enum Value: Sendable, Equatable, Codable {
        /// A text; of a flag `true` or `false`.
        case text(String)
        /// A number.
        case number(Double)
    }

    /// The name of its rule.
    package var name: String
    /// What follows the name in the topic, where the rule is about a kind that has a topic for each of several things; nil elsewhere.
    package var part: String?
    /// How urgent it is.
    package var severity: AlarmSeverity
    /// Whether it is raised.
    package var state = State.raised
    /// When it was raised.
    package var since: Instant
    /// When it was cleared; nil while it is raised.
    package var clearedAt: Instant?
    /// The value that raised it; nil where the absence of messages did.
    package var value: Value?
    /// The kind that raised it: the path of the message after `out/`.
    package var sourceKind: String
    /// The field that raised it; nil where the absence of messages did.
    package var field: String?
    /// Who has acknowledged it, in the words of who asked; nil where nobody has.
    package var acknowledgedBy: String?
    /// When it was acknowledged; nil where it was not.
    package var acknowledgedAt: UnixTime?
    /// How often it was raised since it appeared.
    package var count = 1

    /// What follows `alarm/` in its topic.
    package var level: String { part.map { "\(name)/\($0)" } ?? name }
}
