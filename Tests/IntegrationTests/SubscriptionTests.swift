import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import LocalBroker
import Mosquitto
import TelemetryModel
import Testing

@Suite("What a gateway is subscribed to", .timeLimit(.minutes(5)))
struct SubscriptionTests {
    private let broker: BrokerProcess

    init() async throws { broker = try await BrokerProcess() }

    /// Lines of the broker's log that name a topic or filter of a client.
    private func count(_ what: String, _ client: String) -> Int {
        broker.log.split(separator: "\n").count { $0.contains(client) && $0.contains(what) }
    }

    private func run(_ configure: @escaping (inout GatewayConfiguration) -> Void = { _ in }) async throws {
        try await GatewayFixture.run(configure: configure, broker: broker) { fixture in
            var device = TestDevice(offset: now - 100)
            try await fixture.publish([
                device.depth(3, uptime: 100), device.raw("nonsense", at: 0, "{}"), device.raw("altimeter", at: 0, "{}"),
            ])
            try await eventually("everything is processed") {
                fixture.watcher.messages.contains { $0.kind == "rejected" }
                    && fixture.watcher.messages(of: "d1").contains { $0.kind == "depth-state" }
            }
        }
    }

    @Test("whether a wildcard gets retained messages is in the status, and the subscription that shows it ends")
    func retained() async throws {
        try await GatewayFixture.run(broker: broker) { fixture in
            try await eventually("the status has it") {
                let known = fixture.status?.fields["broker"] as? [String: Any]
                return known?["retainedToWildcards"] as? Bool == true && (known?["lacks"] as? [Any])?.isEmpty == true
                    && known?["sessionExpirySeconds"] as? Int == 86_400
            }
            try await eventually("it is subscribed and unsubscribed") { count("fathom/+/status", "test-out") == 2 }
        }
    }

    @Test("a session of which nothing is recorded is unsubscribed from what is no longer wanted")
    func unrecorded() async throws {
        var old = GatewayFixture.connection(broker, "test-in-bulk")
        old.cleanStart = false
        old.sessionExpirySeconds = 3_600
        old.subscriptions = [.init("wearables/+/in/#")]
        try await BrokerClient(old).run {}
        try await run()
        #expect(count("test-in-bulk wearables/+/in/#", "") == 1)
        #expect(count("in/nonsense", "Sending PUBLISH to test-in-bulk") == 0)
        #expect(count("in/submersion", "Sending PUBLISH to test-in-bulk") == 0)
    }

    @Test("a first start unsubscribes nothing: nothing is known of its sessions but that they are new")
    func firstStart() async throws {
        let directory = try TemporaryDirectory()
        try await run { $0.gateway.stateDirectory = directory.path("state") }
        #expect(!broker.log.contains("UNSUBSCRIBE from test-in"))
        #expect(broker.log.contains("SUBSCRIBE from test-in"))
    }
}
