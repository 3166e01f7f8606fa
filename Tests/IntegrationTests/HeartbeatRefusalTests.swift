import GatewayConfiguration
import GatewayRuntime
import GatewayTestSupport
import LocalBroker
import Testing

@Suite("Brokers that refuse the heartbeat")
struct HeartbeatRefusalTests {
    /// A broker whose ACL grants everything but the heartbeat; `permitted` are the lines that grant it, by user.
    private func broker(permitting permitted: [String: String]) async throws -> BrokerProcess {
        let rules = [
            ("in", "topic read wearables/+/in/#"),
            ("out", "topic write wearables/+/out/#\ntopic readwrite fathom/+/status\ntopic readwrite fathom/+/claim"),
            ("publisher", "topic write wearables/+/in/#"), ("watcher", "topic read #"),
        ]
        let directory = try TemporaryDirectory()
        try directory.write(
            rules.map { "user \($0)\n\($1)\n\(permitted[$0] ?? "")\n" }.joined(), to: "acl")
        return try await BrokerProcess(settings: ["allow_anonymous true", "acl_file %d/acl"], in: directory)
    }

    /// Runs a gateway with accounts until its log holds every one of `texts`, while it derives what devices publish, and `check`.
    private func expectLog(
        _ texts: [String], on broker: BrokerProcess, version: GatewayConfiguration.MQTT.Version = .v5,
        then check: (GatewayFixture) async throws -> Void = { _ in }
    ) async throws {
        let log = CollectedLog()
        let gateway = try GatewayFixture.gateway(on: broker, logger: log.logger) { configuration in
            configuration.lanes[.safety].account.username = "in"
            configuration.mqtt.out.username = "out"
            configuration.mqtt.version = version
        }
        try await GatewayFixture.run(gateway, beside: broker) { fixture in
            try await fixture.dive()
            for text in texts {
                try await eventually("the log holds: \(text)") { log.contains(text) }
            }
            try await check(fixture)
        }
    }

    @Test("a refused publish is logged with the ACL line of the publishing account")
    func publishing() async throws {
        let broker = try await broker(permitting: ["in": "topic read fathom/+/heartbeat/#"])
        try await expectLog(
            [#"the broker refuses the heartbeat: add "topic readwrite fathom/#" below "user out" in the broker's ACL"#],
            on: broker)
    }

    @Test("on MQTT 3.1.1, where a refused publish looks accepted, the ACL lines of both accounts are logged")
    func publishingOnOldVersion() async throws {
        let broker = try await broker(permitting: ["in": "topic read fathom/+/heartbeat/#"])
        try await expectLog(
            [#"add "topic read fathom/+/heartbeat/#" below "user in""#, #"add "topic readwrite fathom/#" below "user out""#],
            on: broker,
            version: .v311)
    }

    @Test("a subscription to which the broker delivers nothing is logged with the ACL line, and is not connected in the status")
    func reading() async throws {
        let broker = try await broker(permitting: ["out": "topic readwrite fathom/#"])
        let advice = #"add "topic read fathom/+/heartbeat/#" below "user in" in the broker's ACL"#
        try await expectLog([advice], on: broker) { fixture in
            try await eventually("the status says so of every lane") {
                let lanes = fixture.status?.fields["lanes"] as? [String: String] ?? [:]
                return lanes.count == 3 && lanes.values.allSatisfy { $0.hasPrefix("no heartbeat") }
            }
            #expect(fixture.status?.text("ingress")?.hasPrefix("no heartbeat") == true)
        }
    }
}
