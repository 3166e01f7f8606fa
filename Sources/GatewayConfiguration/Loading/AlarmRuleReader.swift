internal import GatewayPipeline
internal import TelemetryModel

/// Reads the rules of alarms, and finds every problem with its place.
struct AlarmRuleReader {
    /// A kind that a rule names.
    struct NamedKind {
        let kind: String
        let place: ConfigurationTree
    }

    /// The rules; one with a problem is left out.
    private(set) var rules: [AlarmRule] = []
    /// The problems, in the order of the text.
    private(set) var problems: [TreeProblem] = []
    /// The kinds that the rules name.
    private(set) var kinds: [NamedKind] = []

    private static let ruleKeys = ["name", "when", "severity", "afterSeconds", "clearSeconds", "devices", "enabled"]
    private static let testKeys = ["in", "equals", "above", "below", "silent"]
    private static let conditionKeys = ["kind", "field"] + testKeys
    private static let longestWait = 86_400.0
    private static let silence = 1...604_800.0
    private static let mostValues = 64

    /// Reads a list of rules.
    init(_ tree: ConfigurationTree) {
        read(tree)
    }

    private mutating func read(_ tree: ConfigurationTree) {
        guard let entries = tree.entries else { return report(tree, "must be a list of rules") }
        guard entries.count <= AlarmRule.most else {
            return report(tree, "lists \(entries.count) rules, at most \(AlarmRule.most) are read")
        }
        var names: [String: ConfigurationTree] = [:]
        for entry in entries {
            let before = problems.count
            guard let rule = rule(entry) else { continue }
            if let first = names[rule.name] {
                report(
                    entry["name"] ?? entry,
                    "is \(rule.name), the name of another rule\(first.line.map { ", of line \($0)" } ?? "")")
            }
            names[rule.name] = entry
            if problems.count == before { rules.append(rule) }
        }
    }

    private mutating func report(_ place: ConfigurationTree, _ message: String) {
        problems.append(.init(path: place.path, line: place.line, message: message))
    }

    // MARK: Rules

    private mutating func rule(_ entry: ConfigurationTree) -> AlarmRule? {
        guard expectKeys(Self.ruleKeys, in: entry) else { return nil }
        guard let name = text("name", of: entry) else {
            if entry["name"] == nil { report(entry, "needs a name") }
            return nil
        }
        guard Identifier(name) != nil else {
            report(entry["name"] ?? entry, "must be 1 to 64 of A-Z a-z 0-9 _ -, is \(Self.shown(name))")
            return nil
        }
        let shipped = AlarmRule.shipped.first { $0.name == name }
        var rule = shipped ?? AlarmRule(name)
        if let when = entry["when"] {
            readConditions(when, of: &rule)
        } else if shipped == nil {
            let hint = NearestKey.hint(for: name, in: AlarmRule.shipped.map(\.name))
            report(entry, "needs when, as no shipped rule has its name\(hint)")
        }
        if let severity = choice("severity", of: entry, AlarmSeverity.self) { rule.severity = severity }
        if let seconds = number("afterSeconds", of: entry, in: 0...Self.longestWait) { rule.afterSeconds = seconds }
        if let seconds = number("clearSeconds", of: entry, in: 0...Self.longestWait) { rule.clearSeconds = seconds }
        if let devices = entry["devices"] { rule.devices = self.devices(devices) }
        if let isEnabled = flag("enabled", of: entry) { rule.isEnabled = isEnabled }
        checkWait(of: rule, entry)
        return rule
    }

    private mutating func checkWait(of rule: AlarmRule, _ entry: ConfigurationTree) {
        guard rule.afterSeconds > 0, let place = entry["afterSeconds"] else { return }
        let event = rule.conditions.first { condition in
            if case .silent = condition.test { false } else { KindDescription.named(condition.kind)?.isRetained == false }
        }
        if let event { report(place, "must be 0: \(event.kind) is an event, which holds for its instant") }
    }

    private mutating func devices(_ place: ConfigurationTree) -> [String] {
        guard let entries = place.entries else {
            report(place, "must be a list of devices")
            return []
        }
        if entries.isEmpty { report(place, "lists no device: without devices a rule is about all") }
        return entries.compactMap { entry in
            guard case .text(let text) = entry.value, Identifier(text.replacing("*", with: "-")) != nil else {
                report(entry, "must be an id of 1 to 64 of A-Z a-z 0-9 _ -, in which * stands for any characters")
                return nil
            }
            return text
        }
    }

    // MARK: Conditions

    private mutating func readConditions(_ when: ConfigurationTree, of rule: inout AlarmRule) {
        let joins = AlarmRule.Join.allCases.filter { when[$0.rawValue] != nil }
        guard let join = joins.first else {
            rule.join = .all
            rule.conditions = condition(when).map { [$0] } ?? []
            return
        }
        guard expectKeys([join.rawValue], in: when), let list = when[join.rawValue] else { return }
        guard let entries = list.entries, (1...AlarmRule.mostConditions).contains(entries.count) else {
            return report(list, "must be a list of 1 to \(AlarmRule.mostConditions) conditions")
        }
        let before = problems.count
        rule.join = join
        rule.conditions = entries.compactMap { condition($0) }
        if problems.count == before { checkTogether(rule.conditions, list) }
    }

    /// All conditions of a rule have to be known in one lane, and lead to one topic, or to one for each of what their one kind has topics of.
    private mutating func checkTogether(_ conditions: [AlarmCondition], _ list: ConfigurationTree) {
        let kinds = conditions.map(\.kind).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        guard kinds.count > 1 else { return }
        if let parted = kinds.first(where: AlarmCondition.isParted) {
            return report(
                list,
                "has conditions on \(parted), which leads to an alarm for each of several, and on others: name one of them, as access/submersion, or \(parted) alone"
            )
        }
        let lanes = kinds.map { GatewayConfiguration.Lanes.Name.all(of: $0) }
        let common = lanes.dropFirst().reduce(lanes[0]) { $0.intersection($1) }
        guard common.isEmpty else { return }
        let named = zip(kinds, lanes).map { "\($0) of \($1.map(\.rawValue).sorted().joined(separator: " and "))" }
        report(list, "has conditions on kinds of several lanes, \(named.joined(separator: ", ")): a rule is in one lane")
    }

    private mutating func condition(_ entry: ConfigurationTree) -> AlarmCondition? {
        guard expectKeys(Self.conditionKeys, in: entry) else { return nil }
        guard let kind = kind(of: entry) else { return nil }
        let tests = Self.testKeys.filter { entry[$0] != nil }
        guard let key = tests.first, tests.count == 1, let place = entry[key] else {
            report(entry, "needs exactly one of \(Self.testKeys.joined(separator: ", "))")
            return nil
        }
        if key == "silent" {
            if let field = entry["field"] { report(field, "does nothing with silent, which is about every message of a kind") }
            return number(key, of: entry, in: Self.silence).map { AlarmCondition(kind.name, nil, .silent($0)) }
        }
        guard let field = field(of: entry, in: kind.declared) else { return nil }
        let test: AlarmCondition.Test?
        switch key {
        case "above": test = isNumber(field, key, place) ? number(key, of: entry).map { .above($0) } : nil
        case "below": test = isNumber(field, key, place) ? number(key, of: entry).map { .below($0) } : nil
        case "equals": test = value(place, of: field).map { .oneOf([$0]) }
        default: test = values(place, of: field).map { .oneOf($0) }
        }
        return test.map { AlarmCondition(kind.name, field.name, $0) }
    }

    private mutating func kind(of entry: ConfigurationTree) -> (name: String, declared: KindDescription)? {
        guard let name = text("kind", of: entry) else {
            if entry["kind"] == nil { report(entry, "needs a kind") }
            return nil
        }
        let place = entry["kind"] ?? entry
        if Alarm.covers(name + "/") {
            report(place, "is \(name): no rule is about alarms, as that could be a cycle")
            return nil
        }
        guard let declared = KindDescription.named(name) else {
            report(place, "is \(Self.shown(name)), which is no kind\(NearestKey.hint(for: name, in: KindDescription.paths))")
            return nil
        }
        // The first level alone stands for all of the kind.
        let full = declared.covers(name) ? name : declared.name
        kinds.append(NamedKind(kind: full, place: place))
        return (full, declared)
    }

    private mutating func field(of entry: ConfigurationTree, in kind: KindDescription) -> KindDescription.Field? {
        guard let name = text("field", of: entry) else {
            if entry["field"] == nil { report(entry, "needs a field, or silent") }
            return nil
        }
        let place = entry["field"] ?? entry
        guard let field = kind.fields.first(where: { $0.name == name }) else {
            report(
                place,
                "is \(Self.shown(name)), which is no field of \(kind.name)\(NearestKey.hint(for: name, in: kind.fields.map(\.name)))"
            )
            return nil
        }
        guard [.text, .number, .flag].contains(field.type) else {
            report(
                place, "is \(name), which is \(field.type == .instant ? "an instant" : "no single value"): nothing compares it")
            return nil
        }
        return field
    }

    private mutating func isNumber(_ field: KindDescription.Field, _ key: String, _ place: ConfigurationTree) -> Bool {
        if field.type == .number { return true }
        report(place, "needs a field with numbers: \(field.name) has \(field.type == .flag ? "true or false" : "texts")")
        return false
    }

    private mutating func values(_ place: ConfigurationTree, of field: KindDescription.Field) -> [Alarm.Value]? {
        guard let entries = place.entries, (1...Self.mostValues).contains(entries.count) else {
            report(place, "must be a list of 1 to \(Self.mostValues) values")
            return nil
        }
        let values = entries.compactMap { value($0, of: field) }
        return values.count == entries.count ? values : nil
    }

    private mutating func value(_ place: ConfigurationTree, of field: KindDescription.Field) -> Alarm.Value? {
        guard case .text(let text) = place.value else {
            report(place, "must be a value of \(field.name)")
            return nil
        }
        switch field.type {
        case .number:
            if let number = Double(text), number.isFinite { return .number(number) }
            report(place, "is \(Self.shown(text)): \(field.name) has numbers")
        case .flag:
            if Bool(text) != nil { return .text(text) }
            report(place, "is \(Self.shown(text)): \(field.name) is true or false")
        case .text, .instant, .other:
            if field.values.isEmpty || field.values.contains(text) { return .text(text) }
            report(
                place, "is \(Self.shown(text)), which is no value of \(field.name)\(NearestKey.hint(for: text, in: field.values))"
            )
        }
        return nil
    }

    // MARK: Values

    /// Whether an entry holds keys and values; reports other keys than `known`.
    private mutating func expectKeys(_ known: [String], in entry: ConfigurationTree) -> Bool {
        guard case .table(let table) = entry.value, !table.isEmpty else {
            report(entry, "must hold keys and values: \(known.joined(separator: ", "))")
            return false
        }
        let others = table.filter { !known.contains($0.key) }.sorted {
            ($0.value.line ?? 0, $0.key) < ($1.value.line ?? 0, $1.key)
        }
        for (key, place) in others {
            report(place, "is not a key here\(NearestKey.hint(for: key, in: known))")
        }
        return true
    }

    private mutating func text(_ key: String, of entry: ConfigurationTree) -> String? {
        guard let place = entry[key] else { return nil }
        guard case .text(let text) = place.value else {
            report(place, "must be a text")
            return nil
        }
        guard !text.isEmpty else {
            report(place, "is empty")
            return nil
        }
        return text
    }

    private mutating func number(
        _ key: String, of entry: ConfigurationTree, in range: ClosedRange<Double>? = nil
    ) -> Double? {
        guard let place = entry[key] else { return nil }
        let rule = range.map { "must be a number, \($0.lowerBound.yaml) to \($0.upperBound.yaml)" } ?? "must be a number"
        guard case .text(let text) = place.value, let number = Double(text), number.isFinite, range?.contains(number) ?? true
        else {
            if case .text(let text) = place.value {
                report(place, "\(rule), is \(Self.shown(text))")
            } else {
                report(place, rule)
            }
            return nil
        }
        return number
    }

    private mutating func flag(_ key: String, of entry: ConfigurationTree) -> Bool? {
        guard let place = entry[key] else { return nil }
        guard case .text(let text) = place.value, let flag = Bool(text) else {
            report(place, "must be true or false")
            return nil
        }
        return flag
    }

    private mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ key: String, of entry: ConfigurationTree, _ type: Choice.Type
    ) -> Choice? {
        guard let text = text(key, of: entry) else { return nil }
        let names = Choice.allCases.map(\.rawValue)
        guard let choice = Choice(rawValue: text) else {
            report(
                entry[key] ?? entry,
                "is \(Self.shown(text)), must be \(names.joined(separator: ", "))\(NearestKey.hint(for: text, in: names))")
            return nil
        }
        return choice
    }

    private static func shown(_ text: String) -> String { SettingInput(text: text, form: .quoted).shown }
}

extension GatewayConfiguration.Lanes.Name {
    /// The lanes that derive a kind.
    static func all(of kind: String) -> Set<Self> { Set(AlarmCondition.streams(of: kind).map { Self(of: $0) }) }
}
