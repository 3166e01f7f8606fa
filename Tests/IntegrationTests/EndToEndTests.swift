import BrokerTestSupport
import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import LocalBroker
import Logging
import ServiceLifecycle
import TelemetryModel
import Testing

@Suite("Through a real broker")
struct EndToEndTests {
    private func lastingByTopic(_ messages: [DerivedJSON]) -> [String: [String]] {
        Dictionary(grouping: messages, by: \.topic).mapValues { $0.map(\.lasting) }
    }

    private func expectLiveEqualsReplay(
        _ frames: [RecordedMessage], device: String, configure: @escaping (inout GatewayConfiguration) -> Void = { _ in }
    ) async throws {
        let expected = lastingByTopic(try replayed(frames, configure: configure))
        #expect(!expected.isEmpty)
        // After the last frame time goes on, so on a slow machine timers fire: what they publish ends the topics here.
        var clock = TestDevice("clock", offset: now)
        let extended = lastingByTopic(try replayed(frames + [clock.status(uptime: 3600)], configure: configure))
        try await GatewayFixture.run(configure: configure) { fixture in
            try await fixture.publish(frames)
            var live: [String: [String]] = [:]
            // Under ThreadSanitizer a whole dive takes minutes.
            try await eventually("everything is derived", within: .seconds(300)) {
                live = lastingByTopic(fixture.watcher.messages(of: device))
                return expected.allSatisfy { topic, messages in live[topic, default: []].count >= messages.count }
            }
            // Live, the lanes do not wait for each other: only what is derived on one topic has an order.
            for (topic, messages) in live {
                let difference = messages.difference(from: extended[topic, default: []].prefix(messages.count))
                #expect(difference.isEmpty, "\(topic)")
            }
        }
    }

    @Test("the rally gives live what it gives in a replay", .recorded)
    func rally() async throws {
        let (frames, truth) = try RecordedRally.frames(ending: now)
        #expect(truth.count == 7)
        try await expectLiveEqualsReplay(frames, device: "batter")
    }

    @Test("a dive gives live what it gives in a replay", .recorded, arguments: RecordedDive.all)
    func dive(_ dive: RecordedDive) async throws {
        try await expectLiveEqualsReplay(try dive.frames(ending: now), device: "diver") { configuration in
            configuration.derive[SubmersionDerivation.self].staleSeconds = 30
        }
    }

    @Test("it works on MQTT 3.1.1 as well")
    func mqtt311() async throws {
        try await GatewayFixture.run(configure: { $0.mqtt.version = .v311 }) { fixture in
            try await fixture.dive()
        }
    }

    @Test("both connections of a gateway use TLS and its client certificate")
    func tls() async throws {
        let directory = try TemporaryDirectory()
        let certificates = try TestCertificates(client: "gateway", in: directory)
        let broker = try await BrokerProcess(
            settings: [
                "cafile \(certificates.authority)", "certfile \(directory.path("server.crt"))",
                "keyfile \(directory.path("server.key"))", "require_certificate true", "allow_anonymous true",
            ], in: directory)
        var configuration = GatewayConfiguration()
        configuration.gateway.name = "secure"
        configuration.mqtt.port = Int(broker.port)
        configuration.mqtt.tls.enabled = true
        configuration.mqtt.tls.caFile = certificates.authority
        for account in GatewayConfiguration.Account.allCases {
            configuration[account].certificateFile = directory.path("client.crt")
            configuration[account].keyFile = directory.path("client.key")
        }
        let gateway = try Gateway(
            configuration: configuration, registry: .allowingEverybody,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let group = gateway.group(signals: [])
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            #expect(await gateway.isReading())
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    @Test("a mount prefix before the root is allowed on the way in and left off on the way out")
    func mountPrefix() async throws {
        try await GatewayFixture.run(configure: { $0.gateway.mountPrefix = "part/+" }) { fixture in
            var device = TestDevice(offset: now - 100)
            var frame = device.depth(3, uptime: 100)
            frame.message.topic = "part/3/" + frame.message.topic
            try await fixture.publish([frame])
            try await fixture.sees("a depth state") { $0.topic == "wearables/d1/out/depth-state" }
        }
    }

    @Test("a gateway with partitions reads theirs, and rejects the frames of a device that does not belong there")
    func partitions() async throws {
        try await GatewayFixture.run(configure: {
            $0.gateway.partition = PartitionSet("2-3/4")
            $0.gateway.mountPrefix = "part/{partition}"
        }) { fixture in
            // Partitions 2, 3 and, published where it does not belong, 1.
            for (id, partition) in [("d1", 2), ("d2", 3), ("diver-1", 3)] {
                var device = TestDevice(id, offset: now - 100)
                var frame = device.depth(3, uptime: 100)
                frame.message.topic = "part/\(partition)/" + frame.message.topic
                try await fixture.publish([frame])
            }
            try await eventually("two depth states and a rejection") {
                let topics = Set(fixture.watcher.messages.map(\.topic))
                return topics.isSuperset(of: ["wearables/d1/out/depth-state", "wearables/d2/out/depth-state"])
                    && fixture.watcher.messages.contains { $0.text("reason") == "otherPartition" }
            }
            #expect(!fixture.watcher.messages.contains { $0.topic.hasPrefix("wearables/diver-1/") })
        }
    }

    @Test("timers fire on their own: silence under water makes the depth unknown")
    func silence() async throws {
        try await GatewayFixture.run(configure: { $0.derive[SubmersionDerivation.self].staleSeconds = 0.5 }) { fixture in
            var device = TestDevice(offset: now - 100)
            try await fixture.publish([device.depth(3, uptime: 100)])
            try await fixture.sees("the silence is published") { $0.text("cause") == "silence" && $0.text("quality") == "stale" }
        }
    }

    @Test("rejected frames are acknowledged and published, and stop nothing")
    func refusedFrames() async throws {
        try await GatewayFixture.run { fixture in
            var device = TestDevice(offset: now - 100)
            let bad = ["{", "", "[]", "\u{FEFF}{}", #"{"schema":"wearables/2"}"#].map { device.raw("submersion", at: now, $0) }
            try await fixture.publish(bad + [device.depth(3, uptime: 100)])
            try await fixture.sees("the good frame came through") { $0.kind == "depth-state" }
            try await eventually("the bad ones are published") {
                let reasons = fixture.watcher.messages.filter { $0.kind == "rejected" }.compactMap { $0.text("reason") }
                return Set(reasons).isSuperset(of: ["malformedJSON", "emptyPayload", "unknownSchema"])
            }
        }
    }

    @Test("a clean stop releases held frames, leaves depth unknown and publishes offline")
    func stop() async throws {
        let broker = try await BrokerProcess()
        var registry = Registry()
        var entry = RegistryEntry()
        entry.entitlement = .full
        registry.devices["d1"] = entry
        var watcher: BrokerClient?
        try await GatewayFixture.run(
            configure: {
                $0.gateway.statusSeconds = 0.1
                // However slow the machine is, the device is not silent.
                $0.derive[SubmersionDerivation.self].staleSeconds = 300
            }, registry: registry, broker: broker
        ) { fixture in
            watcher = fixture.watcher
            var device = TestDevice(offset: now - 100)
            try await fixture.publish([device.depth(3, uptime: 100), device.depth(7, uptime: 101, seq: 2)])
            try await fixture.sees("the first frame came through") { $0.kind == "depth-state" && $0.text("cause") == "sample" }
            try await fixture.sees("the other one waits") { ($0.fields["counters"] as? [String: Any])?["held"] as? Int == 1 }
        }
        let messages = watcher?.messages(of: "d1") ?? []
        let depths = messages.filter { $0.kind == "depth-state" }
        // The start publishes nothing of a device that never had a depth.
        let expected = [["sample", "restart"], ["sample", "sample", "restart"]]
        #expect(expected.contains(depths.compactMap { $0.text("cause") }))
        #expect(depths.last?.text("state") == "unknown")
        #expect(messages.count { $0.kind == "gap" } == 1)
        #expect(watcher?.messages.last { $0.topic == "fathom/test/status" }?.text("state") == "offline")
    }

    @Test("the gateway comes back after the broker was restarted")
    func brokerRestart() async throws {
        let broker = try await BrokerProcess()
        try await GatewayFixture.run(broker: broker) { fixture in
            var device = try await fixture.dive()
            await broker.stop()
            try await broker.start()
            try await fixture.publish([device.depth(7, uptime: 100.5)])
            try await fixture.sees("after") { $0.number("depth") == 7 }
        }
    }
}
