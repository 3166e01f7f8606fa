internal import GatewayPipeline

/// One setting: its key, how it is read, and its documentation.
package struct Setting: Sendable {
    /// The requirement of a path.
    package enum Location: Sendable {
        /// A file that can be read when the configuration is loaded.
        case readable
        /// A file or folder that another part of the program opens.
        case anywhere
    }

    /// The key path, such as `derive.depth.staleSeconds`.
    package let path: String
    /// What a value must be, such as `a number`.
    package let type: String
    /// Whether a value is a list in YAML, and a text with commas elsewhere.
    let isList: Bool
    /// The values it takes, such as `0.05 to 3600`; nil if the type says all.
    package let range: String?
    /// The unit; nil if it has none.
    package let unit: String?
    /// What null means; nil if the setting cannot be null.
    package let whenNull: String?
    /// What the setting is, in one sentence.
    package let summary: String
    /// The requirement of the path, for settings that name a file or folder. Relative paths in a file start at that file's
    /// folder.
    package let location: Location?
    /// The setting's value in YAML; secrets as a fixed word.
    package let text: @Sendable (GatewayConfiguration) -> String

    let filePath: @Sendable (GatewayConfiguration) -> String?
    let set: @Sendable (inout GatewayConfiguration, SettingInput) throws(SettingFault) -> Void
    /// Reads a value of several levels, in place of `set`; returns its problems, and the kinds that it names. Nil for every other setting.
    var setTree: (@Sendable (inout GatewayConfiguration, ConfigurationTree) -> ([TreeProblem], [AlarmRuleReader.NamedKind]))?

    /// The default in YAML.
    package var defaultText: String { text(GatewayConfiguration()) }

    /// The environment variable that sets it.
    package var environmentName: String { Self.environmentName(of: path) }

    /// The environment variable of a path: `FATHOM_` and the path in capitals, its words and levels parted by `_`.
    static func environmentName(of path: String) -> String {
        var name = "FATHOM_"
        var previous: Character = "."
        for character in path {
            if character.isUppercase && (previous.isLowercase || previous.isNumber) { name.append("_") }
            name += character == "." ? "_" : character.uppercased()
            previous = character
        }
        return name
    }
}

extension Setting {
    /// Makes a setting that always has a value.
    init<Value: SettingValue>(
        _ path: String, _ property: any WritableKeyPath<GatewayConfiguration, Value> & Sendable,
        in allowed: Allowed<Value>? = nil, unit: String? = nil, _ summary: String
    ) {
        self.init(
            path: path, type: Value.kind, isList: Value.isList, range: allowed?.rule, unit: unit, whenNull: nil, summary: summary,
            location: nil,
            text: { $0[keyPath: property].yaml }, filePath: { _ in nil },
            set: { configuration, input throws(SettingFault) in
                configuration[keyPath: property] = try Self.required(input, allowed)
            })
    }

    /// Makes a setting that may be null.
    init<Value: SettingValue>(
        _ path: String, _ property: any WritableKeyPath<GatewayConfiguration, Value?> & Sendable,
        in allowed: Allowed<Value>? = nil, unit: String? = nil, whenNull: String, location: Location? = nil, _ summary: String
    ) {
        self.init(
            path: path, type: Value.kind, isList: Value.isList, range: allowed?.rule, unit: unit, whenNull: whenNull,
            summary: summary,
            location: location,
            text: { $0[keyPath: property]?.yaml ?? "null" }, filePath: { $0[keyPath: property] as? String },
            set: { configuration, input throws(SettingFault) in
                configuration[keyPath: property] = input.isNull(forText: Value.isText) ? nil : try Self.value(input, allowed)
            })
    }

    /// A value that may not be null.
    static func required<Value: SettingValue>(_ input: SettingInput, _ allowed: Allowed<Value>?) throws(SettingFault) -> Value {
        if input.isNull(forText: Value.isText) { throw SettingFault(message: "must be \(Value.kind), is null") }
        return try value(input, allowed)
    }

    private static func value<Value: SettingValue>(_ input: SettingInput, _ allowed: Allowed<Value>?) throws(SettingFault)
        -> Value
    {
        let value = try Value(input)
        if let allowed, !allowed.admits(value) { throw SettingFault(message: "must be \(allowed.rule), is \(input.shown)") }
        return value
    }
}
