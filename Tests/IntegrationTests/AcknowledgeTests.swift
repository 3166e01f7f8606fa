import Foundation
import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import LocalBroker
import Mosquitto
import Testing

@Suite("Alarms are acknowledged on a real broker")
struct AcknowledgeTests {
    /// Publishes a request, again and again until a reply comes on its topic: the gateway may not be subscribed yet. Without a `reply` once.
    private func ask(
        _ broker: BrokerProcess, as user: String = "ada", _ name: String, _ payload: String, awaitsReply: Bool = true
    ) async throws -> DerivedJSON? {
        let topic = "fathom/test/reply/\(user)/\(name)"
        var connection = GatewayFixture.connection(broker, user)
        connection.subscriptions = [.init(topic)]
        // A refused publish looks accepted here.
        connection.version = awaitsReply ? .v5 : .v311
        let client = BrokerClient(connection)
        try await client.run {
            var request = MQTTMessage(topic: "wearables/d1/query/acknowledge/\(user)", payload: Array(payload.utf8))
            request.responseTopic = topic
            if awaitsReply {
                try await eventually("a reply") {
                    try await client.publish([request])
                    try? await eventually("it", within: .seconds(1)) { !client.received.isEmpty }
                    return !client.received.isEmpty
                }
            } else {
                try await client.publish([request])
            }
        }
        return client.messages.last
    }

    private func ask(_ fixture: GatewayFixture, _ name: String, _ payload: String) async throws -> DerivedJSON {
        try #require(try await ask(fixture.broker, name, payload))
    }

    private func alarm(_ fixture: GatewayFixture, _ state: String) async throws -> DerivedJSON {
        func latest() -> DerivedJSON? { fixture.watcher.messages(of: "d1").last { $0.kind == "alarm/past-limit" } }
        try await eventually("the alarm is \(state)") { latest()?.text("state") == state }
        return try #require(latest())
    }

    @Test("An alarm is acknowledged once, told to all, and stays so after a restart", arguments: [true, false])
    func acknowledged(isDurable: Bool) async throws {
        let directory = try TemporaryDirectory()
        let configure: (inout GatewayConfiguration) -> Void = { configuration in
            configuration.gateway.stateDirectory = isDurable ? directory.path("state") : nil
            configuration.requests.perSecond = 100
            configuration.derive[SubmersionDerivation.self].staleSeconds = 60
        }
        let broker = try await BrokerProcess()
        var app = TestDevice(offset: now - 100)
        try await GatewayFixture.run(configure: configure, broker: broker) { fixture in
            try await fixture.publish([app.depth(41, uptime: 100)])
            let raised = try await alarm(fixture, "raised")
            let unknown = try await ask(fixture, "unknown", #"{"alarm":"past-limits","by":"Ada"}"#)
            #expect(unknown.text("error") == "unknownAlarm" && unknown.text("pointer") == "/alarm")
            #expect(unknown.text("detail")?.contains("did you mean \"past-limit\"?") == true)
            #expect(try await ask(fixture, "other", #"{"alarm":"near-limit","by":"Ada"}"#).text("error") == "notRaised")
            let nobody = try await ask(fixture, "nobody", #"{"alarm":"past-limit"}"#)
            #expect(nobody.text("error") == "badRequest" && nobody.text("pointer") == "/by")

            let reply = try await ask(fixture, "first", #"{"alarm":"past-limit","by":"Ada"}"#)
            #expect(reply.text("state") == "acknowledged" && reply.text("acknowledgedBy") == "Ada")
            let acknowledged = try await alarm(fixture, "acknowledged")
            #expect(acknowledged.number("since") == raised.number("since"))
            #expect(acknowledged.number("acknowledgedAt") == reply.number("acknowledgedAt"))
            #expect(acknowledged.text("id") != raised.text("id"))
            let again = try await ask(fixture, "again", #"{"alarm":"past-limit","by":"Bo"}"#)
            #expect(again.text("acknowledgedBy") == "Ada" && again.number("acknowledgedAt") == reply.number("acknowledgedAt"))
        }
        guard isDurable else { return }
        try await GatewayFixture.run(configure: configure, broker: broker) { fixture in
            let again = try await ask(fixture, "restarted", #"{"alarm":"past-limit","by":"Bo"}"#)
            #expect(again.text("state") == "acknowledged" && again.text("acknowledgedBy") == "Ada")
        }
    }

    @Test("with config/acl an operator acknowledges, and a program that may ask for values does not")
    func accounts() async throws {
        let (broker, gateway) = try await GatewayFixture.withAccessList(users: ["analyst", "operator", "d1"]) {
            $0.derive[SubmersionDerivation.self].staleSeconds = 600
            $0.requests.perSecond = 100
        }
        try await GatewayFixture.run(gateway) {
            var app = TestDevice(offset: now - 100)
            let frame = app.depth(41, uptime: 100).message
            let device = BrokerClient(GatewayFixture.connection(broker, "d1"))
            try await device.run { try await device.publish([MQTTMessage(topic: frame.topic, payload: frame.payload)]) }
            _ = try await ask(
                broker, as: "analyst", "1", #"{"alarm":"past-limit","by":"Eve"}"#, awaitsReply: false)
            var reply: DerivedJSON?
            try await eventually("the alarm is acknowledged") {
                reply = try await ask(broker, as: "operator", "1", #"{"alarm":"past-limit","by":"Ada"}"#)
                return reply?.text("error") == nil
            }
            #expect(reply?.text("acknowledgedBy") == "Ada")
        }
    }
}
