import Foundation
import GatewayConfiguration
import GatewaySetup
import LocalBroker
import Testing

@Suite("What init writes")
struct SetupPlanTests {
    private static let passwords = Dictionary(uniqueKeysWithValues: SetupPlan.accounts.map { ($0, "secret of \($0)") })

    private func plan(_ folder: String) -> SetupPlan { SetupPlan(folder: folder, user: "someone") }

    private func files(_ folder: String) -> [SetupPlan.File] {
        plan(folder).files(passwords: Self.passwords, operatorToken: "secret of operators")
    }

    private func text(_ name: String) throws -> String {
        let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL
        return try String(contentsOf: root.appending(path: name), encoding: .utf8)
    }

    @Test("The configuration loads without problems, with an account for each connection and the registry")
    func configuration() throws {
        let directory = try TemporaryDirectory()
        for name in plan("").folders {
            try FileManager.default.createDirectory(atPath: directory.path(name), withIntermediateDirectories: true)
        }
        for file in files(directory.url.path) { try directory.write(file.text, to: file.path) }
        let (configuration, problems) = GatewayConfiguration.load(file: directory.path(SetupFolder.configuration))
        #expect(problems.isEmpty, "\(problems)")
        let users = AccessList(ShippedFiles.acl).users
        for account in GatewayConfiguration.Account.allCases {
            let user = try #require(configuration[account].username)
            #expect(users.contains(user))
            #expect(configuration[account].password?.reveal == "secret of \(user)")
        }
        #expect(Set(GatewayConfiguration.Account.allCases.map { configuration[$0].username }).count == 6)
        // Each of these would end the other's connection.
        #expect(configuration.page.account.username == "page" && configuration.watchAccount == .watch)
        #expect(configuration.watch.account.username == "watch")
        let others = GatewayConfiguration.Account.others.map { configuration[$0].username }
        #expect(others == ["page", "watch", "notify", "recorder", "simulator", "analyst"])
        #expect(others.allSatisfy { user in users.contains { $0 == user } })
        #expect(configuration.notify.stateDirectory == directory.path("notify"))
        #expect(configuration.gateway.reportUnknownStreams)
        #expect(configuration.gateway.stateDirectory == directory.path("state"))
        let (registry, registryProblems) = configuration.loadRegistry()
        #expect(registryProblems.isEmpty, "\(registryProblems)")
        #expect(registry?.devices.isEmpty == true)
        #expect(registry?.unknownDevices == .deny)
        #expect(configuration.loadProducers().problems.isEmpty)
    }

    @Test("A name that YAML would read as no text is still the gateway's", arguments: ["null", "NO", "true", "1e3", "0x1F"])
    func gatewayName(_ name: String) throws {
        let directory = try TemporaryDirectory()
        var plan = plan(directory.url.path)
        plan.gateway = name
        let file = plan.files(passwords: [:], operatorToken: "").first { $0.path == SetupFolder.configuration }
        let path = try directory.write(try #require(file).text, to: "fathom.yaml")
        #expect(GatewayConfiguration.load(file: path).configuration.gateway.name == name)
    }

    @Test("Only the passwords and the token of operators are secret, each in a file of its own")
    func secrets() {
        let files = files("/set-up")
        for file in files { #expect(file.isSecret == file.text.contains("secret of"), "\(file.path)") }
        let secrets = Self.passwords.keys.sorted().map { "secrets/\($0)" }
        #expect(files.filter(\.isSecret).map(\.path) == [SetupFolder.operatorToken] + secrets)
    }

    @Test(
        "The broker has the shipped rules, in paths of the folder, and an account for each role",
        arguments: ["/set-up", "/var/lib/mosquitto/set-up", "/etc/mosquitto/set-up"])
    func broker(folder: String) throws {
        let files = files(folder)
        #expect(try files.first { $0.path == "acl" }?.text == text("config/acl"))
        let expected: Set = ["gateway-in", "gateway-out", "viewer", "notify", "recorder", "simulator", "analyst"]
        #expect(Set(SetupPlan.accounts).isSuperset(of: expected))
        let broker = try #require(files.first { $0.path == "mosquitto.conf" }?.text)
        func settings(_ text: String) -> [String] {
            text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
        }
        let shipped = settings(try text("config/mosquitto.conf")).map { line in
            line.hasPrefix("persistence_location ")
                ? "persistence_location \(folder)/broker/" : line.replacing("/etc/mosquitto/", with: "\(folder)/")
        }
        #expect(settings(broker) == ["user someone", "pid_file \(folder)/mosquitto.pid"] + shipped)
    }

    @Test("Ports can be chosen, and without certificates there is no listener for devices")
    func ports() throws {
        var plan = plan("/set-up")
        (plan.port, plan.tlsPort) = (2883, 9883)
        func broker() -> String {
            plan.files(passwords: [:], operatorToken: "").first { $0.path == "mosquitto.conf" }?.text ?? ""
        }
        #expect(broker().contains("\nlistener 2883 127.0.0.1\n"))
        #expect(broker().contains("\nlistener 9883\ncertfile /set-up/certs/broker.crt\n"))
        plan.tlsPort = nil
        #expect(broker().contains("\nlistener 2883 127.0.0.1\n"))
        for word in ["certfile", "keyfile", "tls_version", "listener 9883"] { #expect(!broker().contains(word)) }
    }

    @Test("The two broker configurations differ in listeners and identity, and in nothing else")
    func twins() throws {
        func common(_ name: String) throws -> Substring {
            let text = try text("config/\(name)")
            return text[try #require(text.range(of: "# A power loss")).lowerBound...]
        }
        #expect(try common("mosquitto.conf") == common("mosquitto-tls.conf"))
    }

    @Test("Every listener takes the account as the client id: mosquitto reads that setting for the listener above it only")
    func identity() throws {
        for name in ["mosquitto.conf", "mosquitto-tls.conf"] {
            let listeners = try text("config/\(name)").components(separatedBy: "\nlistener ").dropFirst()
            #expect(listeners.count == (name == "mosquitto.conf" ? 2 : 1))
            for listener in listeners {
                #expect(listener.contains("\nuse_username_as_clientid true\n"))
                #expect(listener.contains("\nmax_connections 5000\n"))
            }
        }
    }

    @Test("A user without a name stays out of the broker's configuration")
    func nameless() {
        let files = SetupPlan(folder: "/x", user: "").files(passwords: Self.passwords, operatorToken: "secret of operators")
        let broker = files.first { $0.path == "mosquitto.conf" }?.text ?? ""
        #expect(!broker.split(separator: "\n").contains { $0.hasPrefix("user") } && broker.contains("\npid_file /x/"))
    }
}
