package import GatewayPipeline
import TelemetryModel

/// One alarm of a device, by its last message.
package struct ShownAlarm: Sendable, Hashable {
    /// What a request names it by: the path after `alarm/`; safe to print.
    package let level: String
    /// How urgent it is.
    package let severity: AlarmSeverity
    /// What became of it.
    package let state: Alarm.State
    /// When it was raised, unix seconds.
    package let since: Double
    /// When it was cleared, unix seconds; nil before.
    package let clearedAt: Double?
    /// What raised it, in words; empty where the message names nothing.
    package let reason: String
    /// Who acknowledged it, by the asker's own word, in any script; nil before.
    package let acknowledgedBy: String?
    /// When, unix seconds; nil before.
    package let acknowledgedAt: Double?
    /// How often it was raised in this appearance, 1 or more.
    package let count: Int

    /// The longest text that is kept of a message, in characters.
    private static let longest = 64

    /// The alarm of a message below `alarm/`; nil where severity, state or instant are missing or not known.
    init?(_ fields: ShownFields) {
        guard fields.path.hasPrefix(Alarms.prefix), let severity = fields.text("severity").flatMap(AlarmSeverity.init),
            let state = fields.text("state").flatMap(Alarm.State.init), let since = fields.number("since") ?? fields.at
        else { return nil }
        level = fields.path.dropFirst(Alarms.prefix.count).description.printable.start(scalars: 128)
        self.severity = severity
        self.state = state
        self.since = since
        clearedAt = fields.number("clearedAt")
        acknowledgedBy = fields.values["acknowledgedBy"]?.text?.start(scalars: Self.longest)
        acknowledgedAt = fields.number("acknowledgedAt")
        count = max(1, fields.integer("count") ?? 1)
        reason = Self.reason(fields).start(scalars: Self.longest)
    }

    /// The value that raised it, a number with the name and the unit of its field; of silence, what is silent.
    private static func reason(_ fields: ShownFields) -> String {
        if let words = fields.words("value") { return words }
        let source = fields.text("sourceKind") ?? ""
        guard let value = fields.number("value") else { return source.isEmpty ? "" : "no \(source)" }
        guard let name = fields.text("field") else { return value.text(2) }
        let field = KindDescription.all.first { $0.covers(source) }?.fields.first { $0.name == name }
        return "\(name.words) \(value.text(2))" + (field?.symbol.map { " \($0)" } ?? "")
    }

    /// Whether it is not cleared.
    package var isOpen: Bool { state != .cleared }

    /// What needs a person first, of several the latest.
    package static func precedes(_ left: ShownAlarm, _ right: ShownAlarm) -> Bool {
        if left.state != right.state { return left.place < right.place }
        return left.severity == right.severity ? left.since > right.since : left.severity > right.severity
    }

    private var place: Int { Alarm.State.allCases.firstIndex(of: state) ?? 0 }

    /// The colour of its severity.
    package var tone: Tone {
        switch severity {
        case .critical: .danger
        case .warning: .warning
        case .info: .quiet
        }
    }
}

/// The alarms of a device, at most 64: a level of a path may be any text. Of more, those are left out that need a person least.
package struct Alarms: Sendable {
    /// The first part of the path of an alarm's messages.
    package static let prefix = "alarm/"
    private static let most = 64

    private var byPath: [String: ShownAlarm] = [:]
    /// How many critical ones were raised anew; a message that is received again raises none.
    private(set) var raisedCritical = 0

    /// The paths of those that are kept.
    var paths: Dictionary<String, ShownAlarm>.Keys { byPath.keys }

    /// Those that are kept, what needs a person first.
    package var all: [ShownAlarm] { byPath.values.sorted(by: ShownAlarm.precedes) }

    /// Whether one is not cleared.
    package var hasOpen: Bool { byPath.values.contains(where: \.isOpen) }

    /// Whether one that is critical is not cleared.
    var hasOpenCritical: Bool { byPath.values.contains { $0.isOpen && $0.severity == .critical } }

    /// Processes a message below `alarm/` and returns what to show, nil where nothing has changed.
    mutating func take(_ fields: ShownFields) -> Phrase? {
        let before = byPath[fields.path]
        guard let alarm = ShownAlarm(fields) else { return nil }
        if before == nil, byPath.count >= Self.most, let last = byPath.max(by: { ShownAlarm.precedes($0.value, $1.value) }) {
            guard ShownAlarm.precedes(alarm, last.value) else { return nil }
            byPath[last.key] = nil
        }
        byPath[fields.path] = alarm
        let isNew = alarm.state == .raised && (before?.since != alarm.since || before?.isOpen == false)
        if isNew, alarm.severity == .critical { raisedCritical &+= 1 }
        guard isNew || before?.state != alarm.state else { return nil }
        switch alarm.state {
        case .raised:
            return Phrase("alarm \(alarm.level)\(alarm.reason.isEmpty ? "" : ": \(alarm.reason)")", alarm.tone)
        case .acknowledged:
            return Phrase("alarm \(alarm.level) acknowledged by \(alarm.acknowledgedBy?.printable ?? "somebody")", .notice)
        case .cleared:
            return Phrase("alarm \(alarm.level) cleared", .good)
        }
    }

    /// Drops the one whose retained message was cleared.
    mutating func clear(_ path: String) { byPath[path] = nil }
}
