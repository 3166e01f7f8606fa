import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import LocalBroker
import Mosquitto
import TelemetryModel
import Testing

@Suite("Devices are announced to Home Assistant", .timeLimit(.minutes(5)))
struct DiscoveryTests {
    private static let topic = "homeassistant/device/fathom_d1/config"
    private static let gatewayTopic = "homeassistant/device/fathom-gateway_test/config"
    private static let stateless: @Sendable (inout GatewayConfiguration) -> Void = { $0.homeAssistant.discovery = true }

    /// The messages on a topic of `fixture`, retained ones of before included.
    private func messages(_ fixture: GatewayFixture, _ topic: String = Self.topic) -> [DerivedJSON] {
        fixture.watcher.messages.filter { $0.topic == topic }
    }

    /// The entities of the last message.
    private func entities(_ fixture: GatewayFixture, _ topic: String = Self.topic) -> Set<String> {
        Set((messages(fixture, topic).last?.fields["components"] as? [String: Any] ?? [:]).keys)
    }

    /// A device that dives; a frame at `uptime` 100.
    private func announce(_ fixture: GatewayFixture) async throws -> TestDevice {
        var device = TestDevice(offset: now - 100)
        try await fixture.publish([
            device.status(uptime: 99, #","model":"Watch6,18""#), device.depth(3, uptime: 100),
        ])
        try await eventually("it is announced") { entities(fixture).isSuperset(of: ["connection", "depth_alarm"]) }
        return device
    }

    /// Publishes one more depth, and waits until what follows from it was received: a message that was to be published before it is
    /// there.
    private func settle(_ fixture: GatewayFixture, _ device: inout TestDevice, depth: Double, uptime: Double) async throws {
        try await fixture.publish([device.depth(depth, uptime: uptime)])
        try await fixture.sees("it is processed") { $0.kind == "depth-state" && $0.number("depth") == depth }
    }

    @Test("a device is announced with its model when its kinds are first derived, and the gateway as its hub")
    func announcement() async throws {
        try await GatewayFixture.run(configure: Self.stateless) { fixture in
            _ = try await announce(fixture)
            let device = messages(fixture).last?.fields["device"] as? [String: Any]
            #expect(device?["model"] as? String == "Watch6,18")
            #expect(device?["via_device"] as? String == "fathom-gateway_test")
            #expect(entities(fixture, Self.gatewayTopic) == ["status", "problem", "active_devices"])
        }
    }

    @Test("it is published again when Home Assistant has started, not for a further message or another status")
    func homeAssistantStarts() async throws {
        try await GatewayFixture.run(configure: Self.stateless) { fixture in
            var device = try await announce(fixture)
            try await settle(fixture, &device, depth: 4, uptime: 101)
            let before = messages(fixture).count
            try await publish("offline", fixture)
            try await publish("online", fixture)
            try await eventually("again") { messages(fixture).count == before + 1 }
            // A temperature is a kind that follows in a message of its own: it comes behind what would be published for others.
            try await fixture.publish([
                device.frame(
                    "submersion", uptime: 102,
                    #""temperatures":[{"timestamp":102,"temperature":{"value":18,"unit":"C"},"temperatureUncertainty":{"value":0.2,"unit":"C"}}]"#
                )
            ])
            try await eventually("the new kind") { entities(fixture).contains("water_temperature") }
            #expect(messages(fixture).count == before + 2)
        }
    }

    private func publish(_ status: String, _ fixture: GatewayFixture) async throws {
        try await fixture.publisher.publish([MQTTMessage(topic: "homeassistant/status", payload: Array(status.utf8))])
    }

    @Test("it is published again to a broker that has lost what it retained")
    func reconnection() async throws {
        let broker = try await BrokerProcess()
        try await GatewayFixture.run(configure: Self.stateless, broker: broker) { fixture in
            _ = try await announce(fixture)
            let before = messages(fixture).count
            broker.kill()
            try broker.deleteState()
            try await broker.start()
            try await eventually("again") { messages(fixture).count > before }
            #expect(entities(fixture).contains("depth_alarm"))
        }
    }

    @Test("a device that is removed from the registry is removed; one that clears its status, too")
    func removal() async throws {
        let directory = try TemporaryDirectory()
        let both = "devices:\n  d1: { entitlement: shallow }\n  d2: { entitlement: shallow }\n"
        let file = try directory.write(both, to: "registry.yaml")
        let (registry, _) = Registry.load(file: file)
        let configure: (inout GatewayConfiguration) -> Void = {
            $0.registry.file = file
            $0.homeAssistant.discovery = true
        }
        try await GatewayFixture.run(configure: configure, registry: try #require(registry)) { fixture in
            _ = try await announce(fixture)
            let other = "homeassistant/device/fathom_d2/config"
            var second = TestDevice("d2", offset: now - 100)
            try await fixture.publish([second.status(uptime: 99), second.depth(3, uptime: 100)])
            try await eventually("both are announced") { !entities(fixture, other).isEmpty }
            try await fixture.publish([second.raw("status", at: 0, retain: true, "")])
            try await eventually("it is forgotten") { messages(fixture, other).last?.isClearing == true }
            try directory.write("devices:\n  d2: { entitlement: shallow }\n", to: "registry.yaml")
            try await eventually("it is revoked") { messages(fixture).last?.isClearing == true }
            try await fixture.publish([second.depth(4, uptime: 101)])
            try await eventually("the other one is announced again") { !entities(fixture, other).isEmpty }
        }
    }

    @Test("a gateway that starts again announces what the one before did, and removes what is revoked or switched off")
    func restart() async throws {
        let broker = try await BrokerProcess()
        let directory = try TemporaryDirectory()
        let configure: (inout GatewayConfiguration) -> Void = {
            $0.gateway.stateDirectory = directory.path("state")
            $0.homeAssistant.discovery = true
        }
        try await GatewayFixture.run(configure: configure, broker: broker) { fixture in
            _ = try await announce(fixture)
            var second = TestDevice("d2", offset: now - 100)
            try await fixture.publish([second.status(uptime: 99), second.depth(3, uptime: 100)])
            try await eventually("both are announced") {
                entities(fixture, "homeassistant/device/fathom_d2/config").contains("depth_alarm")
            }
        }
        var registry = Registry()
        registry.devices = ["d1": RegistryEntry()]
        try await GatewayFixture.run(configure: configure, registry: registry, broker: broker) { fixture in
            try await eventually("what was revoked is removed") {
                messages(fixture, "homeassistant/device/fathom_d2/config").last?.isClearing == true
            }
            // The message that was retained, and the one of this gateway.
            try await eventually("the other is announced with all of its entities") {
                messages(fixture).count == 2 && entities(fixture).isSuperset(of: ["connection", "depth_alarm"])
            }
        }
        let switchedOff: (inout GatewayConfiguration) -> Void = { $0.gateway.stateDirectory = directory.path("state") }
        try await GatewayFixture.run(configure: switchedOff, broker: broker) { fixture in
            try await eventually("everything is removed") {
                messages(fixture).last?.isClearing == true && messages(fixture, Self.gatewayTopic).last?.isClearing == true
            }
        }
    }

    @Test("another prefix removes what was announced under the one before")
    func prefix() async throws {
        let broker = try await BrokerProcess()
        let directory = try TemporaryDirectory()
        func configure(_ prefix: String) -> (inout GatewayConfiguration) -> Void {
            return {
                $0.gateway.stateDirectory = directory.path("state")
                $0.homeAssistant.discovery = true
                $0.homeAssistant.prefix = prefix
            }
        }
        try await GatewayFixture.run(configure: configure("homeassistant"), broker: broker) { _ = try await announce($0) }
        try await GatewayFixture.run(configure: configure("homeassistant/site"), broker: broker) { fixture in
            try await eventually("moved") {
                messages(fixture).last?.isClearing == true
                    && !entities(fixture, "homeassistant/site/device/fathom_d1/config").isEmpty
            }
        }
    }

    @Test("a broker that refuses discovery gets all derived messages, and those once it accepts them; the log says why")
    func refused() async throws {
        let directory = try TemporaryDirectory()
        let rights = "pattern readwrite wearables/#\npattern readwrite fathom/#\n"
        let acl = try directory.write(rights, to: "acl")
        let broker = try await BrokerProcess(settings: ["allow_anonymous true", "acl_file \(acl)"])
        let log = CollectedLog()
        let gateway = try GatewayFixture.gateway(on: broker, logger: log.logger, configure: Self.stateless)
        try await GatewayFixture.run(gateway, beside: broker) { fixture in
            var device = TestDevice(offset: now - 100)
            try await fixture.publish([device.status(uptime: 99), device.depth(3, uptime: 100)])
            try await eventually("the refusal is logged") { log.contains("topic write homeassistant/device/+/config") }
            try await settle(fixture, &device, depth: 4, uptime: 101)
            var bulk = TestDevice("d3", offset: now - 100)
            try await fixture.publish([bulk.accelerometer(start: 100)])
            try await eventually("the other priority is published, too") { !fixture.watcher.messages(of: "d3").isEmpty }
            #expect(!log.contains("the broker refuses the heartbeat"))
            _ = try directory.write(rights + "pattern readwrite homeassistant/#\n", to: "acl")
            broker.reload()
            try await eventually("what was refused is published") { !entities(fixture).isEmpty }
        }
    }
}
