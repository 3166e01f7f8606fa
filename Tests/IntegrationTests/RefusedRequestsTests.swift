import GatewayConfiguration
import GatewayRuntime
import GatewayTestSupport
import LocalBroker
import Testing

@Suite("A gateway that does not receive requests", .timeLimit(.minutes(5)))
struct RefusedRequestsTests {
    private static let connected = #"fathom_mqtt_connected{connection="requests"}"#

    @Test("a broker that refuses the account of requests is a warning until it accepts it, and the connection is in the metrics")
    func refused() async throws {
        let directory = try TemporaryDirectory()
        let passwords = directory.path("passwords")
        try directory.write("", to: "passwords")
        for user in ["in", "out", "publisher", "watcher"] { try BrokerPasswords.add(user, "secret", to: passwords) }
        let broker = try await BrokerProcess(settings: ["password_file \(passwords)", "allow_anonymous false"])
        let gateway = try GatewayFixture.gateway(on: broker) { configuration in
            configuration.lanes[.safety].account.username = "in"
            configuration.lanes[.safety].account.password = Secret("secret")
            configuration.mqtt.out.username = "out"
            configuration.mqtt.out.password = Secret("secret")
            configuration.requests.account.username = "asked"
            configuration.requests.account.password = Secret("secret")
        }
        try await GatewayFixture.run(gateway, beside: broker) { fixture in
            func warning() -> String? { (fixture.status?.fields["warnings"] as? [String: String])?["requests"] }
            try await eventually("the status has the warning") { warning()?.hasPrefix("not received: disconnected: ") == true }
            let problems = await gateway.monitor.readiness()
            #expect(problems.contains { $0.check == "requests" && $0.isWarning })
            #expect(gateway.monitor.metrics().contains("\(Self.connected) 0\n"))
            try BrokerPasswords.add("asked", "secret", to: passwords)
            broker.reload()
            try await eventually("it is connected") { gateway.monitor.metrics().contains("\(Self.connected) 1\n") }
            try await eventually("the warning has ended") { warning() == nil }
        }
    }

    @Test("where requests are switched off nothing is said of them")
    func off() async throws {
        let broker = try await BrokerProcess()
        let gateway = try GatewayFixture.gateway(on: broker) { $0.requests.enabled = false }
        try await GatewayFixture.run(gateway, beside: broker) { _ in
            #expect(!gateway.monitor.metrics().contains(Self.connected))
        }
    }
}
