internal import GatewayPipeline
internal import TelemetryModel

/// The text of one value as it was written.
struct SettingInput: Sendable {
    /// How the text was written, which determines the values it may have.
    enum Form: Sendable {
        /// In YAML without quotes.
        case plain
        /// In YAML with quotes or as a block: a text and nothing else.
        case quoted
        /// In an environment variable or on the command line.
        case flat
    }

    let text: String
    let form: Form
    /// The entries of a list in YAML; nil for a single value.
    var list: [String]?

    /// The entries of a list, wherever it is written: outside YAML between commas, with `none` for the empty list; nil for a single
    /// value in YAML.
    var items: [String]? {
        guard form == .flat else { return list }
        if text == "none" { return [] }
        return text.split(separator: ",", omittingEmptySubsequences: false).map { entry in
            String(entry.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        }
    }

    /// The entries of a list of which none is empty: an empty text outside YAML is the empty list.
    var itemsOfText: [String]? { items == [""] ? [] : items }

    /// Whether this unsets a setting. For texts that are not from YAML, `null` is a text like any other.
    func isNull(forText: Bool) -> Bool {
        switch form {
        case .plain: ["", "~", "null", "Null", "NULL"].contains(text)
        case .quoted: false
        case .flat: !forText && text == "null"
        }
    }

    /// The text as it appears in a problem: quoted, escaped and cut after 40 characters.
    var shown: String { String(text.prefix(40)).debugDescription + (text.count > 40 ? "…" : "") }
}

/// The problem with one value, as the rest of a sentence that starts with its key.
package struct SettingFault: Error {
    package let message: String
}

/// A type that a setting can have.
protocol SettingValue: Sendable, Equatable {
    /// The name of the type after "must be".
    static var kind: String { get }
    /// Whether any written text is meant literally.
    static var isText: Bool { get }
    /// Whether it is written as a list in YAML.
    static var isList: Bool { get }
    init(_ input: SettingInput) throws(SettingFault)
    /// The value in YAML.
    var yaml: String { get }
}

extension SettingValue {
    static var isText: Bool { false }
    static var isList: Bool { false }

    static func fault(_ input: SettingInput) -> SettingFault {
        SettingFault(message: "must be \(kind), is \(input.shown)")
    }
}

extension Double: SettingValue {
    static let kind = "a number"

    init(_ input: SettingInput) throws(SettingFault) {
        // `Double.init` also takes hexadecimal, "nan" and "infinity".
        let decimal = input.text.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) }
        guard input.form != .quoted, decimal, let value = Double(input.text), value.isFinite else { throw Self.fault(input) }
        self = value
    }

    var yaml: String { Int(exactly: self).map(String.init) ?? description }
}

extension Int: SettingValue {
    static let kind = "a whole number"

    init(_ input: SettingInput) throws(SettingFault) {
        // YAML 1.1 reads a leading zero as octal, YAML 1.2 does not; such numbers are refused as ambiguous.
        let ambiguous = input.text.drop { "+-".contains($0) }.hasPrefix("0") && Int(input.text) != 0
        guard input.form != .quoted, !ambiguous, let value = Int(input.text) else { throw Self.fault(input) }
        self = value
    }

    var yaml: String { description }
}

extension Bool: SettingValue {
    static let kind = "true or false"

    init(_ input: SettingInput) throws(SettingFault) {
        guard input.form != .quoted, let value = Bool(input.text) else { throw Self.fault(input) }
        self = value
    }

    var yaml: String { description }
}

extension String: SettingValue {
    static let kind = "a text"
    static let isText = true

    init(_ input: SettingInput) throws(SettingFault) {
        guard !input.text.isEmpty else { throw SettingFault(message: "must not be empty") }
        self = input.text
    }

    var yaml: String {
        let needsQuotes = contains { !($0.isASCII && ($0.isLetter || $0.isNumber || "_-./".contains($0))) } || first == "-"
        let readsAsOther = Double(self) != nil || ["null", "true", "false"].contains(lowercased())
        return needsQuotes || readsAsOther ? debugDescription : self
    }
}

extension Secret: SettingValue {
    static let kind = "a text"
    static let isText = true

    init(_ input: SettingInput) throws(SettingFault) { self.init(try String(input)) }

    var yaml: String { description }
}

extension SettingValue where Self: RawRepresentable & CaseIterable, RawValue == String {
    static var kind: String { allCases.map(\.rawValue).joined(separator: " or ") }

    init(_ input: SettingInput) throws(SettingFault) {
        guard let value = Self(rawValue: input.text) else { throw Self.fault(input) }
        self = value
    }

    var yaml: String { rawValue.yaml }
}

extension PartitionSet: SettingValue {
    static let kind = "partitions of a count, such as 3/64 or 0-15,20/64"

    init(_ input: SettingInput) throws(SettingFault) {
        guard let partitions = Self(input.text) else { throw Self.fault(input) }
        self = partitions
    }

    var yaml: String { description.yaml }
}

extension GatewayConfiguration.MQTT.Version: SettingValue {}
extension GatewayConfiguration.Log.Level: SettingValue {}
extension GatewayConfiguration.Log.Format: SettingValue {}
extension UnknownDevices: SettingValue {}
extension Authorization: SettingValue {}
extension RegistryEntry.Entitlement: SettingValue {}
extension RegistryEntry.Session: SettingValue {}
extension Side: SettingValue {}
extension RegistryEntry.Standardised: SettingValue {}
