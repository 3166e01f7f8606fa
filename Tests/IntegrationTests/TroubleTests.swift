import Foundation
import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import LocalBroker
import Mosquitto
import ServiceLifecycle
import TelemetryModel
import Testing

@Suite("What goes wrong around a gateway", .timeLimit(.minutes(5)))
struct TroubleTests {
    private func hasDepth(_ depth: Double, _ fixture: GatewayFixture) -> Bool {
        fixture.watcher.messages.contains { $0.kind == "depth-state" && $0.number("depth") == depth }
    }

    @Test("while checkpoints cannot be written nothing is acknowledged and the status has the reason; then all is processed")
    func storage() async throws {
        let broker = try await BrokerProcess()
        let directory = try TemporaryDirectory()
        let configure: (inout GatewayConfiguration) -> Void = { $0.gateway.stateDirectory = directory.path("state") }
        try await GatewayFixture.run(configure: configure, broker: broker) { fixture in
            try await fixture.dive()

            // Another writer that holds the lock has the effect of a full disk: the transaction fails.
            let other = try LockedDatabase(path: directory.path("state/safety.sqlite"))
            var another = TestDevice("d2", offset: now - 100)
            try await fixture.publish([another.depth(7, uptime: 100)])
            try await eventually("the status says why") { fixture.status?.text("storageProblem")?.contains("locked") == true }
            try await eventually("the frame is delivered again and again") { redeliveries(broker) > 2 }

            try other.release()
            try await eventually("the status is well again") { fixture.status.map { $0.text("storageProblem") == nil } == true }
            #expect(hasDepth(7, fixture))
        }
        let before = redeliveries(broker)
        try await GatewayFixture.run(configure: configure, broker: broker) { fixture in
            try await fixture.dive(as: "d3")
        }
        #expect(redeliveries(broker) == before)
    }

    /// How often the broker sent a frame that it had sent before: it was not acknowledged.
    private func redeliveries(_ broker: BrokerProcess) -> Int {
        broker.log.split(separator: "\n").count {
            $0.contains("Sending PUBLISH to test-in-safety (d1, ") && $0.contains("/in/submersion")
        }
    }

    @Test("a state directory that cannot be used ends the gateway, with the reason")
    func unusableState() async throws {
        let broker = try await BrokerProcess()
        let directory = try TemporaryDirectory()
        let gateway = try GatewayFixture.gateway(on: broker) { $0.gateway.stateDirectory = directory.path("state") }
        // The lane before it is composed already.
        try FileManager.default.createDirectory(atPath: directory.path("state/motion.sqlite"), withIntermediateDirectories: true)
        await #expect(throws: (any Error).self) { try await gateway.group(signals: []).run() }
    }

    @Test("a broker that stops responding is detected although every socket is open, and the gateway works when it continues")
    func frozen() async throws {
        let broker = try await BrokerProcess()
        let log = CollectedLog()
        let gateway = try GatewayFixture.gateway(on: broker, logger: log.logger)
        try await GatewayFixture.run(gateway, beside: broker) { fixture in
            try await fixture.dive()
            broker.freeze()
            defer { broker.thaw() }
            // Keep-alive alone would need a minute and a half.
            try await eventually("it is noticed") { log.contains("the broker does not respond any more") }
            try await eventually("the connection is given up") { log.contains("disconnected") }
            broker.thaw()
            try await fixture.dive(to: 7, as: "d2")
        }
    }

    @Test("after the broker has lost its state retained messages are published again, and the loss of the session is logged")
    func lostState() async throws {
        let broker = try await BrokerProcess()
        let log = CollectedLog()
        let gateway = try GatewayFixture.gateway(on: broker, logger: log.logger) {
            $0.derive[SubmersionDerivation.self].staleSeconds = 60
        }
        try await GatewayFixture.run(gateway, beside: broker) { fixture in
            try await fixture.dive()
            broker.kill()
            try broker.deleteState()
            let before = fixture.watcher.messages.count
            try await broker.start()
            try await eventually("it is noticed") { log.contains("the broker has lost the session") }
            try await eventually("the depth is published again") {
                fixture.watcher.messages.dropFirst(before).contains { $0.kind == "depth-state" && $0.number("depth") == 3 }
            }
            try await eventually("with the decision that allows it") {
                fixture.watcher.messages.dropFirst(before).contains { $0.kind == "access/submersion" }
            }
        }
    }

    @Test("of two gateways of one name the later one ends, and the first continues")
    func duplicateName() async throws {
        let broker = try await BrokerProcess()
        try await GatewayFixture.run(broker: broker) { fixture in
            let later = try GatewayFixture.gateway(on: broker).group(signals: [])
            await #expect(throws: NameTaken.self) { try await later.run() }
            try await fixture.dive()
            #expect(fixture.status?.text("state") == "online")
            #expect(fixture.watcher.messages.allSatisfy { $0.text("state") != "offline" })
        }
    }

    private static func setAccounts(_ configuration: inout GatewayConfiguration) {
        configuration.lanes[.safety].account.username = "in"
        configuration.lanes[.safety].account.password = Secret("secret")
        configuration.mqtt.out.username = "out"
        configuration.mqtt.out.password = Secret("secret")
    }

    @Test("the check of accounts takes nothing out of the lanes' sessions, and leaves none of its own")
    func accountCheck() async throws {
        let (directory, broker) = (try TemporaryDirectory(), try await BrokerProcess())
        let configure: (inout GatewayConfiguration) -> Void = { configuration in
            configuration.gateway.stateDirectory = directory.path("state")
            Self.setAccounts(&configuration)
        }
        var device = TestDevice(offset: now - 100)
        try await GatewayFixture.beside(broker) { fixture in
            try await GatewayFixture.run(GatewayFixture.gateway(on: broker, configure: configure)) {}
            try await fixture.publish([device.depth(3, uptime: 100)])
            try await GatewayFixture.run(GatewayFixture.gateway(on: broker, configure: configure)) {
                try await eventually("what was queued is derived") { hasDepth(3, fixture) }
            }
        }
        let deliveries = broker.log.split(separator: "\n").count {
            $0.contains("Sending PUBLISH to test-in-safety") && $0.contains("'wearables/d1/in/submersion'")
        }
        #expect(deliveries == 1)
        #expect(broker.log.contains("as test-in-safety-check"))
        for lane in ["safety", "motion"] {
            var connection = GatewayFixture.connection(broker, "test-in-\(lane)-check")
            (connection.cleanStart, connection.sessionExpirySeconds) = (false, 60)
            let client = BrokerClient(connection)
            try await client.run { #expect(client.state == .connected(sessionPresent: false)) }
        }
    }

    @Test("where the broker lets an account have one connection, the lanes share one session")
    func oneConnection() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "passwords")
        for user in ["in", "out", "publisher", "watcher"] {
            try BrokerPasswords.add(user, "secret", to: directory.path("passwords"))
        }
        let broker = try await BrokerProcess(
            settings: ["password_file \(directory.path("passwords"))", "allow_anonymous true", "use_username_as_clientid true"])
        try await GatewayFixture.run(configure: Self.setAccounts, broker: broker) { fixture in
            var device = TestDevice(offset: now - 100)
            try await fixture.publish([
                device.depth(3, uptime: 100), device.stillHead(uptime: 100.1), device.accelerometer(start: 100.2),
            ])
            try await eventually("every stream comes through") {
                let kinds = Set(fixture.watcher.messages(of: "d1").map(\.kind))
                return kinds.isSuperset(of: ["access/submersion", "access/headphone-motion", "access/batched-imu"])
            }
            let lanes = fixture.status?.fields["lanes"] as? [String: String]
            #expect(lanes == ["safety": "connected", "motion": "connected", "bulk": "connected"])
            // The session that the account check made must not go on, with filters that overlap with those of the lanes.
            let deliveries = broker.log.split(separator: "\n").count {
                $0.contains("Sending PUBLISH to in ") && $0.contains("'wearables/d1/in/submersion'")
            }
            #expect(deliveries == 1)
        }
    }

    @Test("the committed sequence number is published where that is configured")
    func committed() async throws {
        let directory = try TemporaryDirectory()
        let configure: (inout GatewayConfiguration) -> Void = {
            $0.gateway.publishCommitted = true
            $0.gateway.stateDirectory = directory.path("state")
        }
        try await GatewayFixture.run(configure: configure) { fixture in
            var device = TestDevice(offset: now - 100)
            try await fixture.publish((0...5).map { device.depth(3, uptime: 100 + Double($0)) })
            try await fixture.sees("the newest is published", of: "d1") {
                $0.kind == "committed/submersion" && $0.number("seq") == 5 && $0.text("boot") == "b1"
            }
        }
    }
}
