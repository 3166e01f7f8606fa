internal import GatewayPipeline
internal import TelemetryModel

extension DeriveSettings {
    /// The settings of every derivation, as the derivations declare them.
    static let settings: [Setting] = Derivations.all.flatMap { Setting.all(of: $0) }
}

extension Setting {
    /// The switch of a derivation and its settings, below `derive.{name}`.
    static func all<D: Derivation>(of derivation: D.Type) -> [Setting] {
        let section = D.declaration.section
        let isEnabled = Setting(
            path: "\(section).enabled", summary: "Whether it is derived", get: { $0.isEnabled(derivation) },
            set: { $0.setEnabled(derivation, $1) })
        return [isEnabled] + D.Settings.table.map { Setting($0, of: derivation, path: "\(section).\($0.key)") }
    }

    private init<D: Derivation>(_ declared: DerivationSetting<D.Settings>, of derivation: D.Type, path: String) {
        switch declared.value {
        case .number(let property, let range):
            self.init(
                path: path, in: .from(range.lowerBound, to: range.upperBound), unit: declared.unit, summary: declared.summary,
                get: { $0[derivation][keyPath: property] }, set: { $0[derivation][keyPath: property] = $1 })
        case .flag(let property):
            self.init(
                path: path, unit: declared.unit, summary: declared.summary, get: { $0[derivation][keyPath: property] },
                set: { $0[derivation][keyPath: property] = $1 })
        case .streams(let property):
            self.init(
                path: path, unit: declared.unit, summary: declared.summary,
                get: { GatewayConfiguration.StreamList(names: $0[derivation][keyPath: property].map(\.rawValue)) },
                set: { $0[derivation][keyPath: property] = $1.names.compactMap(StreamName.init(rawValue:)) })
        case .texts(let form, let get, let set):
            self.init(
                path: path, type: "a list of texts", isList: true, range: form, unit: declared.unit, whenNull: nil,
                summary: declared.summary, location: nil,
                text: { "[" + get($0.derive[derivation]).map(\.yaml).joined(separator: ", ") + "]" }, filePath: { _ in nil },
                set: { configuration, input throws(SettingFault) in
                    guard let items = input.itemsOfText else {
                        throw SettingFault(message: "must be a list of texts, is \(input.shown)")
                    }
                    if let wrong = set(&configuration.derive[derivation], items) {
                        throw SettingFault(message: "each of the list must be \(form), is \(wrong.debugDescription)")
                    }
                })
        case .choice(let names, let get, let set):
            let kind = names.joined(separator: " or ")
            self.init(
                path: path, type: kind, isList: false, range: nil, unit: declared.unit, whenNull: nil, summary: declared.summary,
                location: nil,
                text: { get($0.derive[derivation]).yaml }, filePath: { _ in nil },
                set: { configuration, input throws(SettingFault) in
                    guard names.contains(input.text) else {
                        throw SettingFault(message: "must be \(kind), is \(input.shown)")
                    }
                    set(&configuration.derive[derivation], input.text)
                })
        }
    }

    private init<Value: SettingValue>(
        path: String, in allowed: Allowed<Value>? = nil, unit: String? = nil, summary: String,
        get: @escaping @Sendable (DeriveSettings) -> Value, set: @escaping @Sendable (inout DeriveSettings, Value) -> Void
    ) {
        self.init(
            path: path, type: Value.kind, isList: Value.isList, range: allowed?.rule, unit: unit, whenNull: nil, summary: summary,
            location: nil,
            text: { get($0.derive).yaml }, filePath: { _ in nil },
            set: { configuration, input throws(SettingFault) in
                set(&configuration.derive, try Self.required(input, allowed))
            })
    }
}
