import Foundation

extension GatewayConfiguration {
    /// The fleet page of `fathom page`. The gateway itself does not use these settings.
    package struct Page: Sendable, Equatable {
        /// The address to listen on; default 127.0.0.1. Any other than this machine's own needs a token.
        package var address = "127.0.0.1"
        /// The port, 0 to 65,535; default 8600. At 0 the system chooses a free one.
        package var port = 8_600
        /// The file that holds the token which viewers must show, at least 16 characters less one line end; default none.
        package var tokenFile: String?
        /// The file that holds the token of operators, who see the page and may acknowledge alarms; default none.
        package var operatorTokenFile: String?
        /// The names that viewers may use for the page; empty, the default, for its address, and on loopback those of this machine.
        package var hosts = HostList(names: [])
        /// The account at the broker, which needs to read what gateways publish, and to ask for events and acknowledgements.
        package var account = MQTT.Identity()

        /// Whether only programs of this machine can reach the page.
        package var isLoopback: Bool {
            address == "localhost" || address == "::1"
                || (address.hasPrefix("127.") && address.allSatisfy { $0.isNumber || $0 == "." })
        }

        /// The names without ports that are taken in `Host`.
        package var acceptedHosts: [String] {
            if !hosts.names.isEmpty { return hosts.names }
            let own = address.contains(":") ? "[\(address)]" : address
            return isLoopback ? ["localhost", "127.0.0.1", "[::1]", own] : [own]
        }
    }

    /// Names or addresses of a host: a list in YAML; elsewhere a text with commas, in which `none` is the empty list.
    package struct HostList: Sendable, Equatable, SettingValue {
        /// The names in the order they were written, an IPv6 address in brackets.
        package var names: [String]

        /// A list of `names`.
        package init(names: [String]) { self.names = names }

        static let kind = "a list of host names or addresses"
        static let isList = true

        init(_ input: SettingInput) throws(SettingFault) {
            guard let items = input.itemsOfText else { throw Self.fault(input) }
            let names = items.compactMap(Self.name)
            guard names.count == items.count else {
                throw SettingFault(message: "must list host names or addresses without ports, is \(input.shown)")
            }
            self.names = names
        }

        /// A host name, an IPv4 address or an IPv6 address, which gets brackets; nil for anything else.
        private static func name(_ text: String) -> String? {
            let inner = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
            var address = in6_addr()
            if inet_pton(AF_INET6, inner, &address) == 1 { return "[\(inner)]" }
            return inner == text && !text.isEmpty && !text.contains(":") && Allowed.host.admits(text) ? text : nil
        }

        var yaml: String { "[\(names.map { $0.contains(":") ? "\"\($0)\"" : $0 }.joined(separator: ", "))]" }
    }
}

extension GatewayConfiguration.Page {
    static let settings: [Setting] =
        [
            Setting(
                "page.address", \.page.address, in: .host,
                "Where fathom page listens; an address that other machines reach needs a token"),
            Setting("page.port", \.page.port, in: .from(0, to: 65_535), "The TCP port of the page; at 0 a free one"),
            Setting(
                "page.tokenFile", \.page.tokenFile, whenNull: "everybody who reaches it sees it", location: .anywhere,
                "The file with the token that viewers show once, at least 16 characters"),
            Setting(
                "page.operatorTokenFile", \.page.operatorTokenFile, whenNull: "nobody acknowledges alarms on the page",
                location: .anywhere,
                "The file with the token of operators, who show it in place of the other and may acknowledge alarms"),
            Setting(
                "page.hosts", \.page.hosts,
                "The names without ports that browsers may use for the page; if empty its address, and localhost on loopback"),
        ] + GatewayConfiguration.MQTT.Identity.settings(.page)
}
