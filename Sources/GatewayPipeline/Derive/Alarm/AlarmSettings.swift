package import TelemetryModel

/// The rules of alarms.
package struct AlarmSettings: DerivationSettings {
    /// The rules as they are configured, each complete.
    package var written: [AlarmRule] = [] {
        didSet { table = AlarmTable(Self.inForce(written)) }
    }
    /// How long a cleared alarm stays retained, in s of device time.
    package var keepSeconds = 3_600.0
    /// How late frames may be, in s. Configured for device connections.
    private(set) var lagSeconds = 0.0
    /// The rules in force, by the kinds that they name.
    private(set) var table = AlarmTable.shipped
    /// The device; nil before the settings are resolved. Not configured.
    private(set) var device: DeviceID?

    /// The shipped rules.
    package init() {}

    /// `alarms`.
    package static let table: [DerivationSetting<Self>] = [
        .number(
            "keepSeconds", \.keepSeconds, in: 0...604_800, unit: "seconds",
            "How long a cleared alarm stays retained, in the device's time")
    ]

    /// The lag allowance applies to every timer.
    package mutating func adopt(from others: DeriveSettings) {
        lagSeconds = others[DeviceConnectionDerivation.self].lagAllowanceSeconds
    }

    /// The rules in force: the shipped ones as they are changed, and the others.
    package var rules: [AlarmRule] { table.rules }

    private static func inForce(_ written: [AlarmRule]) -> [AlarmRule] {
        let changed = Dictionary(written.map { ($0.name, $0) }) { first, _ in first }
        let shipped = AlarmRule.shipped.map { changed[$0.name] ?? $0 }
        let names = Set(shipped.map(\.name))
        return (shipped + written.filter { !names.contains($0.name) }).filter(\.isEnabled)
    }

    /// These settings for one device.
    package func resolved(for facts: DeviceFacts) -> Self {
        var settings = self
        settings.device = facts.traits.device
        return settings
    }

    /// Compares what is configured.
    package static func == (left: Self, right: Self) -> Bool {
        left.written == right.written && left.keepSeconds == right.keepSeconds && left.lagSeconds == right.lagSeconds
    }

    /// Whether a rule is about the device.
    func applies(_ rule: AlarmRule) -> Bool { rule.devices.isEmpty || device.map(rule.applies) ?? true }

    /// The rule of an alarm by its path after `out/`; nil where none in force has it.
    package func rule(of path: String) -> AlarmRule? {
        guard let level = Alarm.level(of: path) else { return nil }
        return table.rule(level.prefix { $0 != "/" })
    }

    /// The streams in whose lanes an alarm with this path after `out/` is raised; none where no rule in force has it.
    package func streams(of path: String) -> Set<StreamName> {
        guard let level = Alarm.level(of: path), let rule = rule(of: path) else { return [] }
        let kinds = rule.conditions.map(\.kind)
        guard let slash = level.firstIndex(of: "/") else { return Set(kinds.flatMap { AlarmCondition.streams(of: $0) }) }
        let part = String(level[level.index(after: slash)...])
        if let stream = StreamName(rawValue: part) { return [stream] }
        return Set(kinds.flatMap { AlarmCondition.streams(of: KindDescription.path($0, part)) })
    }

    /// What follows `alarm/` in the topics of the alarms that `device` can have, as far as the rules say.
    package func levels(of device: DeviceID) -> [String] {
        table.rules.filter { $0.applies(to: device) }.flatMap(levels)
    }

    /// What follows `alarm/` in the topics of a rule's alarms.
    func levels(of rule: AlarmRule) -> [String] {
        table.isParted(rule.name) ? table.parts(of: rule).map { "\(rule.name)/\($0)" } : [rule.name]
    }

    /// What follows `alarm/` in the topics of the alarms that `device` can have where it has messages with these paths after `out/`.
    package func levels(of device: DeviceID, with paths: Set<String>) -> [String] {
        table.rules.filter { $0.applies(to: device) }.flatMap { rule in
            let kinds = rule.conditions.map(\.kind)
            guard table.isParted(rule.name) else { return kinds.contains(where: paths.contains) ? [rule.name] : [] }
            return table.parts(of: rule).filter { part in
                // A kind of several lanes has one path: the device has a stream where that was decided on.
                paths.contains(KindDescription.path(kinds[0], part))
                    || (paths.contains(kinds[0]) && paths.contains(KindDescription.path(AccessDecision.name, part)))
            }.map { "\(rule.name)/\($0)" }
        }
    }

    /// Whether alarms of `device` depend on whether it has messages with this path after `out/`.
    package func depend(on path: String, of device: DeviceID) -> Bool {
        table.rules.contains { rule in
            rule.applies(to: device)
                && rule.conditions.contains { condition in
                    condition.kind == path || KindDescription.covers(path, by: condition.kind)
                        || (AccessDecision.covers(path) && KindDescription.body(of: condition.kind)?.isPerStream == true)
                }
        }
    }

    /// Whether an alarm with this path after `out/` may be of `device`.
    package func covers(_ path: String, of device: DeviceID) -> Bool {
        guard let rule = rule(of: path), rule.applies(to: device) else { return false }
        return path.utf8.count { $0 == UInt8(ascii: "/") } == (table.isParted(rule.name) ? 2 : 1)
    }
}
