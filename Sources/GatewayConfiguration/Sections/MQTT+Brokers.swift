/// One broker of `mqtt.host`.
struct BrokerEntry {
    let host: String
    /// Nil for `mqtt.port`.
    let port: Int?

    /// The brokers of a text in their order; nil for what is none.
    static func all(in text: String) -> [BrokerEntry?] {
        text.split(separator: ",", omittingEmptySubsequences: false).map { BrokerEntry($0) }
    }

    /// The hosts and ports of a text in their order, `port` where none is named.
    static func addresses(in text: String, port: Int) -> [(host: String, port: Int)] {
        all(in: text).compactMap { entry in entry.map { ($0.host, $0.port ?? port) } }
    }

    /// Reads a name or address, with a port behind a colon or none. An IPv6 address needs brackets where a port follows.
    private init?(_ text: Substring) {
        let entry = String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        if entry.hasPrefix("["), let end = entry.firstIndex(of: "]") {
            self.init(host: entry[entry.index(after: entry.startIndex)..<end], port: entry[entry.index(after: end)...])
        } else if entry.count(where: { $0 == ":" }) == 1, let colon = entry.firstIndex(of: ":") {
            self.init(host: entry[..<colon], port: entry[colon...])
        } else {
            self.init(host: entry[...], port: "")
        }
    }

    /// `port` begins with a colon, or is empty.
    private init?(host: Substring, port: Substring) {
        guard !host.isEmpty, Allowed.host.admits(String(host)) else { return nil }
        self.host = String(host)
        guard !port.isEmpty else {
            self.port = nil
            return
        }
        let digits = port.dropFirst()
        guard port.first == ":", digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(digits),
            (1...65_535).contains(number)
        else { return nil }
        self.port = number
    }
}

extension GatewayConfiguration.MQTT {
    /// The brokers in the order in which they are tried; at least one in a configuration without problems.
    package var brokers: [(host: String, port: Int)] {
        BrokerEntry.addresses(in: host, port: port)
    }
}
