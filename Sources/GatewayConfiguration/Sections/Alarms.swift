internal import GatewayPipeline
internal import TelemetryModel

extension AlarmSettings {
    /// The rules, beside the settings that the derivation declares.
    static let ruleSettings: [Setting] = [
        Setting(
            path: "alarms.rules", type: "a list of rules", isList: true, range: nil, unit: nil, whenNull: nil,
            summary: "Rules beside the shipped ones, and what is changed of these", location: nil,
            text: { $0.derive[AlarmDerivation.self].written.yaml }, filePath: { _ in nil },
            set: { _, _ throws(SettingFault) in throw SettingFault(message: "must be a list of rules") },
            setTree: { configuration, tree in
                let reader = AlarmRuleReader(tree)
                if reader.problems.isEmpty { configuration.derive[AlarmDerivation.self].written = reader.rules }
                return (reader.problems, reader.kinds)
            })
    ]
}

extension [AlarmRule] {
    /// The rules in YAML, each complete.
    fileprivate var yaml: String { "[" + map(\.yaml).joined(separator: ", ") + "]" }
}

extension AlarmRule {
    fileprivate var yaml: String {
        let when =
            conditions.count == 1 ? conditions[0].yaml : "{\(join.rawValue): [\(conditions.map(\.yaml).joined(separator: ", "))]}"
        let devices = devices.isEmpty ? "" : ", devices: [\(devices.map(\.yaml).joined(separator: ", "))]"
        return "{name: \(name.yaml), when: \(when), severity: \(severity.rawValue), afterSeconds: \(afterSeconds.yaml), "
            + "clearSeconds: \(clearSeconds.yaml)\(devices), enabled: \(isEnabled.yaml)}"
    }
}

extension AlarmCondition {
    fileprivate var yaml: String {
        let test =
            switch test {
            case .oneOf(let values): "in: [\(values.map(\.yaml).joined(separator: ", "))]"
            case .above(let limit): "above: \(limit.yaml)"
            case .below(let limit): "below: \(limit.yaml)"
            case .silent(let seconds): "silent: \(seconds.yaml)"
            }
        return "{kind: \(kind.yaml)\(field.map { ", field: \($0.yaml)" } ?? ""), \(test)}"
    }
}

extension Alarm.Value {
    fileprivate var yaml: String {
        switch self {
        case .text(let text): text.yaml
        case .number(let number): number.yaml
        }
    }
}
