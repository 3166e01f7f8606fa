import TelemetryModel

/// Which values of a type a setting takes.
struct Allowed<Value: SettingValue>: Sendable {
    /// The rule, to be read after "must be".
    let rule: String
    let admits: @Sendable (Value) -> Bool
}

extension Allowed where Value: Comparable {
    /// Every value from a least to a greatest, both included.
    static func from(_ least: Value, to greatest: Value) -> Self {
        Allowed(rule: "\(least.yaml) to \(greatest.yaml)") { (least...greatest).contains($0) }
    }
}

extension Allowed<String> {
    /// A name that can be a topic level.
    static let identifier = Allowed(rule: "1 to 64 of A-Z a-z 0-9 _ -", admits: { Identifier($0) != nil })

    /// A name that can be a topic level once `{partition}` is replaced.
    static let gatewayName = Allowed(
        rule: identifier.rule,
        admits: { Identifier($0.replacing(GatewayConfiguration.Gateway.placeholder, with: "0")) != nil })

    /// A host name or address: no white space, no scheme, no path.
    static let host = Allowed(rule: "a host name or address") { text in
        text.utf8.count <= 253 && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-._:%".contains($0)) }
    }

    /// Brokers, as in `mqtt.host`.
    static let brokers = Allowed(rule: "host names or addresses, each with a port or none, with commas between them") { text in
        BrokerEntry.all(in: text).allSatisfy { $0 != nil }
    }

    /// What brokers take as a client id or user name without trouble: visible ASCII.
    static let visible = Allowed(rule: "1 to 128 visible ASCII characters") { text in
        (1...128).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Topic levels without wildcards.
    static let topic = Allowed(rule: "topic levels without + # or $, such as site/wearables") { text in
        isTopic(text) && !text.contains("+")
    }

    /// Topic levels in which `+` may be a whole level.
    static let topicFilter = Allowed(rule: "topic levels, of which + may be one, such as part/+") { text in
        isTopic(text) && text.split(separator: "/").allSatisfy { $0 == "+" || !$0.contains("+") }
    }

    private static func isTopic(_ text: String) -> Bool {
        text.utf8.count <= 1024
            && text.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "#" && $0 != "$" }
    }
}
