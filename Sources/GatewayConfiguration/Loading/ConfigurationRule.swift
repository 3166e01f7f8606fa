internal import GatewayPipeline
internal import TelemetryModel

/// A rule between two or more settings.
struct ConfigurationRule: Sendable {
    /// The settings, in no order.
    let paths: [String]
    /// The rule, in words.
    let agreement: String
    let isBroken: @Sendable (GatewayConfiguration) -> Bool

    init(_ paths: String..., agreement: String, isBroken: @escaping @Sendable (GatewayConfiguration) -> Bool) {
        self.init(paths: paths, agreement: agreement, isBroken: isBroken)
    }

    private init(paths: [String], agreement: String, isBroken: @escaping @Sendable (GatewayConfiguration) -> Bool) {
        self.paths = paths
        self.agreement = agreement
        self.isBroken = isBroken
    }

    /// The problem as the rest of a sentence that starts with one of the paths.
    func message(_ path: String) -> String {
        "contradicts \(paths.filter { $0 != path }.joined(separator: " and ")): \(agreement)"
    }

    static let all =
        partitions + keyValue + connections + timing + sizes + derivations + page
        + (GatewayConfiguration.Account.allCases + GatewayConfiguration.Account.others).flatMap(identity)

    private static let partitions = [
        ConfigurationRule(
            "gateway.partition", "gateway.name", "gateway.mountPrefix", "gateway.stateDirectory",
            agreement: "{partition} stands for the gateway's partitions, which are not set"
        ) { $0.gateway.partition == nil && $0.gateway.namesPartitions },
        ConfigurationRule(
            "gateway.partition", "keyValue.bucket",
            agreement: "{partition} stands for the gateway's partitions, which are not set"
        ) {
            $0.gateway.partition == nil && ($0.keyValue.bucket?.contains(GatewayConfiguration.Gateway.placeholder) ?? false)
        },
    ]

    private static let keyValue =
        password("keyValue") { ($0.keyValue.username, $0.keyValue.password, $0.keyValue.passwordFile) } + [
            ConfigurationRule(
                "keyValue.servers", "gateway.stateDirectory",
                agreement: "the key-value store keeps a copy of what is in the state directory"
            ) { $0.keyValue.servers != nil && $0.gateway.stateDirectory == nil },
            ConfigurationRule(
                "keyValue.tls.caFile", "keyValue.tls.enabled", agreement: "a CA file does nothing without TLS"
            ) { $0.keyValue.tls.caFile != nil && !$0.keyValue.tls.enabled },
        ]

    private static let connections =
        clientIDs + [
            ConfigurationRule(
                "requests.account.username", "lanes.safety.account.username", "lanes.motion.account.username",
                "lanes.bulk.account.username", "mqtt.out.username", "mqtt.claim.username",
                agreement: "requests need an account of their own, as a broker may keep only one connection of an account"
            ) { configuration in
                let others = GatewayConfiguration.Account.allCases.filter { $0 != .requests }.map { configuration[$0].username }
                return configuration.requests.account.username.map(others.contains) ?? false
            },
            ConfigurationRule(
                "mqtt.tls.caFile", "mqtt.tls.enabled", agreement: "a CA file does nothing without TLS"
            ) { $0.mqtt.tls.caFile != nil && !$0.mqtt.tls.enabled },
        ]

    /// A rule for every two connections of a gateway but that of claims, whose id is another in each run.
    private static let clientIDs: [ConfigurationRule] = {
        let accounts = GatewayConfiguration.Account.allCases.filter { $0 != .claim }
        return accounts.indices.flatMap { index in
            accounts[..<index].map { first in
                let second = accounts[index]
                return ConfigurationRule(
                    "\(first.path).clientID", "\(second.path).clientID",
                    agreement: "a broker keeps only one connection of a client id"
                ) { $0.connectionID(of: first) == $0.connectionID(of: second) }
            }
        }
    }()

    private static let page = [
        ConfigurationRule(
            "page.address", "page.tokenFile", agreement: "an address that other machines reach needs a token"
        ) { !$0.page.isLoopback && $0.page.tokenFile == nil }
    ]

    private static let timing = [
        // A client must send something within 1.5 keep-alives, and an open batch holds back the ping that is due.
        ConfigurationRule(
            "mqtt.keepAliveSeconds", "mqtt.publishTimeoutSeconds",
            agreement:
                "the keep-alive must be more than twice the publish timeout, or the broker closes the connection of a slow batch"
        ) { Double($0.mqtt.keepAliveSeconds) <= 2 * $0.mqtt.publishTimeoutSeconds },
        ConfigurationRule(
            "mqtt.batchMilliseconds", "mqtt.publishTimeoutSeconds",
            agreement: "a batch must not wait for more messages longer than publishing what is derived from it may take"
        ) { Double($0.mqtt.batchMilliseconds) >= 1_000 * $0.mqtt.publishTimeoutSeconds },
        ConfigurationRule(
            "mqtt.reconnect.initialSeconds", "mqtt.reconnect.maximumSeconds",
            agreement: "the first wait must not be longer than the longest"
        ) { $0.mqtt.reconnect.initialSeconds > $0.mqtt.reconnect.maximumSeconds },
    ]

    private static let sizes = [
        ConfigurationRule(
            "mqtt.maximumPacketBytes", "limits.maximumPayloadBytes",
            agreement: "a packet must hold a payload and 1,024 bytes more, or the broker drops it unseen"
        ) { $0.mqtt.maximumPacketBytes < $0.limits.maximumPayloadBytes + 1_024 }
    ]

    private static let derivations = Derivations.all.flatMap { rules(of: $0) }

    private static func rules<D: Derivation>(of derivation: D.Type) -> [ConfigurationRule] {
        D.Settings.rules.map { rule in
            ConfigurationRule(
                paths: rule.keys.map { "\(D.declaration.section).\($0)" }, agreement: rule.agreement,
                isBroken: { rule.isBroken($0.derive[derivation]) })
        }
    }

    /// The rules of a section with an account.
    private static func password(
        _ path: String,
        _ account: @escaping @Sendable (GatewayConfiguration) -> (username: String?, password: Secret?, passwordFile: String?)
    ) -> [ConfigurationRule] {
        [
            ConfigurationRule(
                "\(path).password", "\(path).passwordFile", agreement: "only one of them may be set"
            ) { account($0).password != nil && account($0).passwordFile != nil },
            ConfigurationRule(
                "\(path).username", "\(path).password", "\(path).passwordFile", agreement: "a password needs a user name"
            ) { configuration in
                let account = account(configuration)
                return account.username == nil && (account.password != nil || account.passwordFile != nil)
            },
        ]
    }

    private static func identity(_ account: GatewayConfiguration.Account) -> [ConfigurationRule] {
        let path = account.path
        return password(path) { ($0[account].username, $0[account].password, $0[account].passwordFile) } + [
            ConfigurationRule(
                "\(path).certificateFile", "\(path).keyFile", agreement: "a certificate and its key must be set together"
            ) { ($0[account].certificateFile == nil) != ($0[account].keyFile == nil) },
            ConfigurationRule(
                "\(path).certificateFile", "mqtt.tls.enabled", agreement: "a certificate does nothing without TLS"
            ) { $0[account].certificateFile != nil && !$0.mqtt.tls.enabled },
        ]
    }
}
