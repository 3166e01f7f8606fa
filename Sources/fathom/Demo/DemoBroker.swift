import Foundation
import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import GatewaySetup
import Glibc
import LocalBroker
import Mosquitto

/// mosquitto on a free loopback port, with the rules of the project's own `config/` and generated accounts.
final class DemoBroker: Sendable {
    /// The account of the page and of the view on the terminal.
    static let viewer = "page"
    private static let ingress = "gateway-in"
    private static let egress = "gateway-out"
    private static let claim = "gateway-claim"
    private static let requests = "gateway-query"
    /// The account of a program that asks for the latest values.
    static let analyst = "analyst"
    private static let devices = ["pods-1", "batter-1", "ultra-1", "watch-1", "runner-1"]

    private let process: BrokerProcess
    private let passwords: [String: String]
    private let rulesFolder: String?

    /// Starts the broker with the rules of a folder, or those that the program holds; the error says what is missing.
    init(rulesFolder: String?) async throws {
        self.rulesFolder = rulesFolder
        let directory = try TemporaryDirectory()
        passwords = Dictionary(
            uniqueKeysWithValues: ([Self.viewer, Self.ingress, Self.egress, Self.claim, Self.requests, Self.analyst]
                + Self.devices).map {
                    ($0, String(UInt64.random(in: .min ... .max), radix: 36))
                })
        try directory.write(try Passwords.hashed(passwords, in: directory.url.path), to: "passwords")
        try directory.write(try Self.rules("acl", in: rulesFolder), to: "acl")
        process = try await BrokerProcess(
            settings: try Self.settings(in: rulesFolder, directory: directory), in: directory)
    }

    /// Ends the broker and removes its files.
    func stop() async { await process.stop() }

    /// The registry of the rules.
    func registry() throws -> Registry {
        let (registry, problems) = Registry.load(text: try Self.rules("registry.yaml", in: rulesFolder))
        guard let registry, problems.isEmpty else {
            throw GatewayError(problems.map(\.description).joined(separator: "; "))
        }
        return registry
    }

    /// The gateway's configuration for this broker.
    var gatewayConfiguration: GatewayConfiguration {
        var configuration = GatewayConfiguration()
        configuration.gateway.name = "demo"
        configuration.gateway.statusSeconds = 2
        configuration.gateway.reportUnknownStreams = true
        configuration.derive[SubmersionDerivation.self].refreshSeconds = 0.5
        // Heads are drawn as they move.
        configuration.derive[HeadPoseDerivation.self].seriesHertz = 25
        configuration.derive.setEnabled(SwingTraceDerivation.self, true)
        configuration.mqtt.port = Int(process.port)
        configuration.lanes[.safety].account.username = Self.ingress
        configuration.lanes[.safety].account.clientID = Self.ingress
        configuration.lanes[.safety].account.password = passwords[Self.ingress].map { Secret($0) }
        configuration.mqtt.out.username = Self.egress
        configuration.mqtt.out.clientID = Self.egress
        configuration.mqtt.out.password = passwords[Self.egress].map { Secret($0) }
        configuration.mqtt.claim.username = Self.claim
        configuration.mqtt.claim.password = passwords[Self.claim].map { Secret($0) }
        configuration.requests.account.username = Self.requests
        configuration.requests.account.clientID = Self.requests
        configuration.requests.account.password = passwords[Self.requests].map { Secret($0) }
        return configuration
    }

    /// A shell command that asks for the latest values of a device, in two lines.
    var request: [String] {
        [
            "mosquitto_rr -V 5 -p \(process.port) -u \(Self.analyst) -P \(passwords[Self.analyst] ?? "") -m '{}' \\",
            "  -t wearables/ultra-1/query/latest -e fathom/demo/reply/\(Self.analyst)/1",
        ]
    }

    /// The connection of one account, which this broker makes the client id.
    func connection(of account: String, subscribing topics: [String] = []) -> MosquittoConfiguration {
        var connection = MosquittoConfiguration(
            brokers: BrokerList(host: "127.0.0.1", port: process.port), clientID: account)
        connection.username = account
        connection.password = passwords[account]
        connection.cleanStart = true
        connection.sessionExpirySeconds = 0
        connection.threadName = "mqtt-\(account)"
        connection.subscriptions = topics.map { .init($0) }
        return connection
    }

    private static func rules(_ name: String, in folder: String?) throws -> String {
        if let folder { return try TextFile.read("\(folder)/\(name)") }
        switch name {
        case "acl": return ShippedFiles.acl
        case "mosquitto.conf": return ShippedFiles.mosquitto
        default: return ShippedFiles.registry
        }
    }

    /// The rules without what must differ here: listener, files and folders.
    private static func settings(in folder: String?, directory: TemporaryDirectory) throws -> [String] {
        let replaced = [
            "listener", "certfile", "keyfile", "tls_version", "per_listener_settings", "password_file", "acl_file", "persistence",
            "persistence_location",
        ]
        return try rules("mosquitto.conf", in: folder).split(separator: "\n").map(String.init).filter { line in
            guard let word = line.split(separator: " ").first.map(String.init) else { return false }
            return !word.hasPrefix("#") && !replaced.contains(word)
        } + ["password_file \(directory.path("passwords"))", "acl_file \(directory.path("acl"))"]
    }
}
