package import TelemetryModel

/// One setting of a derivation: its key, its values, and its line in the reference.
package struct DerivationSetting<Settings>: Sendable {
    /// How the value is read and written.
    package enum Value: Sendable {
        /// A number in a range.
        case number(any WritableKeyPath<Settings, Double> & Sendable, ClosedRange<Double>)
        /// True or false.
        case flag(any WritableKeyPath<Settings, Bool> & Sendable)
        /// One of several names.
        case choice(
            [String], get: @Sendable (Settings) -> String, set: @Sendable (inout Settings, String) -> Void)
        /// Names of streams.
        case streams(any WritableKeyPath<Settings, [StreamName]> & Sendable)
        /// Texts of a form; `set` returns the first that has another.
        case texts(
            form: String, get: @Sendable (Settings) -> [String], set: @Sendable (inout Settings, [String]) -> String?)
    }

    /// The key below the derivation's section; it may have several levels.
    package let key: String
    /// The unit; nil if it has none.
    package let unit: String?
    /// What it is, in one sentence without a full stop.
    package let summary: String
    /// How the value is read and written.
    package let value: Value

    private init(_ key: String, _ value: Value, unit: String?, _ summary: String) {
        self.key = key
        self.unit = unit
        self.summary = summary
        self.value = value
    }

    /// A number.
    package static func number(
        _ key: String, _ property: any WritableKeyPath<Settings, Double> & Sendable, in range: ClosedRange<Double>,
        unit: String? = nil, _ summary: String
    ) -> Self {
        Self(key, .number(property, range), unit: unit, summary)
    }

    /// True or false.
    package static func flag(
        _ key: String, _ property: any WritableKeyPath<Settings, Bool> & Sendable, _ summary: String
    ) -> Self {
        Self(key, .flag(property), unit: nil, summary)
    }

    /// Names of streams.
    package static func streams(
        _ key: String, _ property: any WritableKeyPath<Settings, [StreamName]> & Sendable, _ summary: String
    ) -> Self {
        Self(key, .streams(property), unit: nil, summary)
    }

    /// Values that are written as texts; `form` says how, after "must be".
    package static func list<Element: LosslessStringConvertible & Sendable>(
        _ key: String, _ property: any WritableKeyPath<Settings, [Element]> & Sendable, form: String, _ summary: String
    ) -> Self {
        let value = Value.texts(
            form: form, get: { $0[keyPath: property].map(\.description) },
            set: { settings, texts in
                var elements: [Element] = []
                for text in texts {
                    guard let element = Element(text) else { return text }
                    elements.append(element)
                }
                settings[keyPath: property] = elements
                return nil
            })
        return Self(key, value, unit: nil, summary)
    }

    /// One of the values of a type.
    package static func choice<Choice: RawRepresentable & CaseIterable & Sendable>(
        _ key: String, _ property: any WritableKeyPath<Settings, Choice> & Sendable, _ summary: String
    ) -> Self where Choice.RawValue == String {
        let value = Value.choice(
            Choice.allCases.map(\.rawValue), get: { $0[keyPath: property].rawValue },
            set: { settings, name in if let choice = Choice(rawValue: name) { settings[keyPath: property] = choice } })
        return Self(key, value, unit: nil, summary)
    }
}
