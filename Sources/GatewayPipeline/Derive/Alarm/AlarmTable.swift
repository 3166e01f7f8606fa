import TelemetryModel

/// Rules by the kinds of which their conditions are, so that a message is compared with those on its kind alone.
///
/// It is an object, as it goes with the settings to each step. It shows no content to what identifies settings, which has the rules.
final class AlarmTable: Sendable, CustomReflectable {
    /// The conditions of one rule on one kind.
    struct Use {
        /// The rule's place.
        let rule: Int
        /// The conditions, each with its place in the rule.
        var conditions: [(place: Int, check: Check)]
    }

    /// A condition on a kind.
    struct Check: Sendable {
        /// The path that the condition is on; nil for every path of the kind.
        let path: String?
        /// The field's place in the kind; nil with `silent`.
        let field: Int?
        /// What has to be true.
        let test: AlarmCondition.Test
        /// Whether a missing value is not known, instead of false: an alarm about depth never ends by what is missing.
        let keepsUnknown: Bool
    }

    /// What of a rule does not depend on messages.
    fileprivate struct Form {
        /// Whether its alarms have a part after the name.
        let isParted: Bool
        /// Whether its conditions are on several kinds.
        let isSpread: Bool
        /// Whether a condition is on silence.
        let isTimed: Bool
        /// A hash of the conditions: what is known of them says nothing of others.
        let basis: UInt64
    }

    /// The rules.
    let rules: [AlarmRule]
    /// The kinds that they name.
    let kinds: [any DerivedBody.Type]
    private let uses: [ObjectIdentifier: [Use]]
    private let places: [Substring: Int]
    private let forms: [Form]

    /// The shipped rules.
    static let shipped = AlarmTable(AlarmRule.shipped)

    init(_ rules: [AlarmRule]) {
        self.rules = rules
        var kinds: [any DerivedBody.Type] = []
        var uses: [ObjectIdentifier: [Use]] = [:]
        for (place, rule) in rules.enumerated() {
            for (number, condition) in rule.conditions.enumerated() {
                guard let kind = KindDescription.body(of: condition.kind), let check = Check(condition, on: kind) else {
                    continue
                }
                let id = ObjectIdentifier(kind)
                if uses[id] == nil { kinds.append(kind) }
                if uses[id]?.last?.rule != place { uses[id, default: []].append(Use(rule: place, conditions: [])) }
                let last = (uses[id]?.count ?? 1) - 1
                uses[id]?[last].conditions.append((number, check))
            }
        }
        self.kinds = kinds
        self.uses = uses
        places = Dictionary(rules.enumerated().map { ($1.name[...], $0) }) { first, _ in first }
        forms = rules.map(Form.init)
    }

    /// The conditions on the kind of `body`.
    func uses(of body: any DerivedBody) -> [Use] { uses[ObjectIdentifier(type(of: body))] ?? [] }

    /// The place of the rule `name`; nil where there is none.
    func place(of name: some StringProtocol) -> Int? { places[Substring(name)] }

    /// The rule `name`; nil where there is none.
    func rule(_ name: some StringProtocol) -> AlarmRule? { place(of: name).map { rules[$0] } }

    /// Whether alarms of the rule at a place have a part after the name.
    func isParted(_ place: Int) -> Bool { forms[place].isParted }

    /// Whether alarms of a rule have a part after the name.
    func isParted(_ name: String) -> Bool { place(of: name).map { isParted($0) } ?? false }

    /// What can follow the name in the topics of a rule's alarms.
    func parts(of rule: AlarmRule) -> [String] {
        guard let kind = rule.conditions.lazy.compactMap({ KindDescription.body(of: $0.kind) }).first else { return [] }
        return kind.isPerStream ? StreamName.allCases.map(\.rawValue) : kind.levels
    }

    /// Whether the conditions of the rule at a place are on several kinds, whose messages may come in another order than they were sent.
    func isSpread(_ place: Int) -> Bool { forms[place].isSpread }

    /// Whether something is kept of the rule at a place though it is not true.
    func isFollowed(_ place: Int) -> Bool { forms[place].isSpread || forms[place].isTimed }

    /// A hash of the conditions of the rule at a place.
    func basis(_ place: Int) -> UInt64 { forms[place].basis }

    /// Nothing.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension AlarmTable.Form {
    fileprivate init(_ rule: AlarmRule) {
        isParted = rule.conditions.contains { AlarmCondition.isParted($0.kind) }
        isSpread = Set(rule.conditions.map(\.kind)).count > 1
        isTimed = rule.conditions.contains { if case .silent = $0.test { true } else { false } }
        var hash = FNV1a64()
        hash.add(rule.join.rawValue)
        for condition in rule.conditions { hash.add("\n\(condition.kind)\t\(condition.field ?? "")\t\(condition.test.text)") }
        basis = hash.value
    }
}

extension AlarmCondition.Test {
    /// All that it says. The description of Swift would look for conformances of every type in it, which costs milliseconds.
    fileprivate var text: String {
        switch self {
        case .oneOf(let values): "in" + values.map { "\t\($0.text)" }.joined()
        case .above(let limit): "above\t\(limit.shortest)"
        case .below(let limit): "below\t\(limit.shortest)"
        case .silent(let seconds): "silent\t\(seconds.shortest)"
        }
    }
}

extension Alarm.Value {
    fileprivate var text: String {
        switch self {
        case .text(let text): text
        case .number(let number): number.shortest
        }
    }
}

extension AlarmCondition {
    /// Whether a condition on `kind`, a name or a path, leads to alarms with a part after the name: the kind has several topics, or comes from several lanes.
    package static func isParted(_ kind: String) -> Bool {
        guard let body = KindDescription.body(of: kind) else { return false }
        return body.isPerStream || (kind == body.name && !body.levels.isEmpty)
    }
}

extension AlarmTable.Check {
    fileprivate init?(_ condition: AlarmCondition, on kind: any DerivedBody.Type) {
        path = condition.kind == kind.name ? nil : condition.kind
        test = condition.test
        keepsUnknown = SubmersionDerivation.declaration.kinds.contains { $0 == kind }
        guard let name = condition.field else {
            field = nil
            return
        }
        guard let place = kind.place(of: name) else { return nil }
        field = place
    }

    /// Whether the condition is true of `event`, nil where that is not known, and the value that it was compared with.
    func result(_ event: DerivedEvent) -> (truth: Bool?, value: Alarm.Value?) {
        guard let field else { return (false, nil) }
        guard let value = Alarm.Value(event.body.value(at: field)) else {
            return (keepsUnknown || event.quality != .valid ? nil : false, nil)
        }
        let isTrue =
            switch (test, value) {
            case (.oneOf(let values), _): values.contains(value)
            case (.above(let limit), .number(let number)): number > limit
            case (.below(let limit), .number(let number)): number < limit
            case (.above, .text), (.below, .text), (.silent, _): false
            }
        return (isTrue ? true : event.quality == .valid ? false : nil, value)
    }
}

extension Alarm.Value {
    /// The value of a field; nil where it has none that can be compared.
    init?(_ value: FieldValue) {
        switch value {
        case .text(let text?): self = .text(text)
        case .number(let number?), .seconds(let number?):
            guard number.isFinite else { return nil }
            self = .number(number)
        case .integer(let integer?): self = .number(Double(integer))
        case .flag(let flag?): self = .text("\(flag)")
        default: return nil
        }
    }
}
