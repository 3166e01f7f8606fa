import Foundation
import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import LocalBroker
import TelemetryModel
import Testing

@Suite("A topic that the broker refuses", .timeLimit(.minutes(5)))
struct RefusedTopicTests {
    private let directory: TemporaryDirectory
    private let broker: BrokerProcess

    init() async throws {
        directory = try TemporaryDirectory()
        try directory.write("", to: "acl")
        broker = try await BrokerProcess(settings: ["allow_anonymous true", "acl_file %d/acl"], in: directory)
        try deny([])
    }

    /// Has the broker refuse these topics, and nothing else.
    private func deny(_ topics: [String]) throws {
        let denied = topics.map { "topic deny \($0)\n" }.joined()
        try directory.write(
            "topic readwrite #\nuser out\n\(denied)topic readwrite #\nuser in\ntopic readwrite #\n"
                + ["publisher", "watcher"].map { "user \($0)\ntopic readwrite #\n" }.joined(), to: "acl")
        broker.reload()
    }

    private func configure(_ configuration: inout GatewayConfiguration) {
        configuration.gateway.stateDirectory = directory.path("state")
        configuration.gateway.publishCommitted = true
        configuration.mqtt.out.username = "out"
        configuration.lanes[.safety].account.username = "in"
        configuration.derive[SubmersionDerivation.self].staleSeconds = 600
    }

    private func committed(_ device: String, _ fixture: GatewayFixture) -> Double? {
        fixture.watcher.messages(of: device).last { $0.kind == "committed/submersion" }?.number("seq")
    }

    private func depths(_ device: String, _ fixture: GatewayFixture) -> [Double] {
        fixture.watcher.messages(of: device).filter { $0.kind == "depth-state" }.compactMap { $0.number("depth") }
    }

    @Test("holds up nothing else: frames are acknowledged, readiness warns, and the newest state is published once it is allowed")
    func state() async throws {
        try deny(["wearables/d1/out/depth-state"])
        let log = CollectedLog()
        let gateway = try GatewayFixture.gateway(on: broker, logger: log.logger, configure: configure)
        try await GatewayFixture.run(gateway, beside: broker) { fixture in
            var (first, second) = (TestDevice("d1", offset: now - 100), TestDevice("d2", offset: now - 100))
            for second100 in 0..<5 {
                let uptime = 100 + Double(second100)
                try await fixture.publish([
                    first.depth(3 + Double(second100), uptime: uptime), second.depth(3 + Double(second100), uptime: uptime),
                ])
            }
            try await eventually("the other's depth is published") { depths("d2", fixture).last == 7 }
            try await eventually("frames of both are committed") {
                committed("d1", fixture) == 4 && committed("d2", fixture) == 4
            }
            #expect(depths("d1", fixture).isEmpty)
            try await fixture.sees("it is reported") {
                $0.topic == "fathom/test/rejected" && $0.text("reason") == "publishRefused"
                    && $0.text("refusal") == "notAuthorized" && $0.text("topic") == "wearables/d1/out/depth-state"
            }
            // Each lane receives its first heartbeat in its own time.
            try await eventually("readiness has that warning alone") {
                let problems = await gateway.monitor.readiness()
                return problems.map(\.check) == ["refused topics"] && problems.allSatisfy(\.isWarning)
            }
            #expect(log.contains(#"add "topic write wearables/+/out/#" below "user out" in the broker's ACL"#))
            #expect(!log.contains("released unacknowledged"))

            try deny([])
            try await eventually("the newest is published") { depths("d1", fixture) == [7] }
            try await fixture.publish([first.depth(9, uptime: 106)])
            try await eventually("and the next as before") { depths("d1", fixture) == [7, 9] }
            try await eventually("readiness is well") { await gateway.monitor.readiness().isEmpty }
        }
    }

    @Test("of many that are refused at once keeps each, and each is published once the broker accepts it")
    func many() async throws {
        let names = (1...40).map { "d\($0)" }
        try deny(names.map { "wearables/\($0)/out/depth-state" })
        var devices = names.map { TestDevice($0, offset: now - 100) }
        try await GatewayFixture.run(GatewayFixture.gateway(on: broker, configure: configure), beside: broker) { fixture in
            for second in 0...5 {
                try await fixture.publish(devices.indices.map { devices[$0].depth(3, uptime: 100 + Double(second)) })
            }
            try await eventually("the frames of all are committed") { names.allSatisfy { committed($0, fixture) == 5 } }
            try deny([])
            try await eventually("all depths are published") { names.allSatisfy { !depths($0, fixture).isEmpty } }
        }
    }

    @Test("keeps events on disk over a restart, and publishes them in order, before newer ones")
    func events() async throws {
        let topic = "wearables/d1/out/dive"
        try deny([topic])
        var device = TestDevice("d1", offset: now - 1_000)
        func dive(_ start: Double) -> [RecordedMessage] {
            (0...30).map { device.depth($0 < 20 ? 5 : 0, uptime: start + Double($0)) }
        }
        func dives(_ fixture: GatewayFixture) -> [Double] {
            fixture.watcher.messages(of: "d1").filter { $0.kind == "dive" && !$0.isClearing }.compactMap { $0.number("at") }
        }
        try await GatewayFixture.beside(broker) { fixture in
            for start in [100.0, 200] {
                try await GatewayFixture.run(GatewayFixture.gateway(on: broker, configure: configure)) {
                    try await fixture.publish(dive(start))
                    let last: Double = start == 100 ? 30 : 61
                    try await eventually("its frames are committed") { committed("d1", fixture) == last }
                }
            }
            #expect(dives(fixture).isEmpty)
            let letters = try #require(try OutboundLetters(reading: directory.path("state")))
            #expect(try letters.count() == 2)

            try await GatewayFixture.run(GatewayFixture.gateway(on: broker, configure: configure)) {
                try await fixture.publish(dive(300))
                try await eventually("its frames are committed") { committed("d1", fixture) == 92 }
                try deny([])
                try await eventually("all three are published") { dives(fixture).count == 3 }
                #expect(dives(fixture) == dives(fixture).sorted())
                try await fixture.publish(dive(400))
                try await eventually("and the next as before") { dives(fixture).count == 4 }
                #expect(dives(fixture) == dives(fixture).sorted())
                // The last is refused too where the topic was not open again yet; it is removed after the subscriber has it.
                try await eventually("none is left on disk") { try letters.count() == 0 }
            }
        }
    }

    @Test("is made again from the stored state where the gateway was restarted meanwhile")
    func stateOverRestart() async throws {
        try deny(["wearables/d1/out/depth-state", "wearables/d1/out/access/submersion", "fathom/test/status"])
        var device = TestDevice("d1", offset: now - 100)
        try await GatewayFixture.beside(broker) { fixture in
            try await GatewayFixture.run(GatewayFixture.gateway(on: broker, configure: configure)) {
                try await fixture.publish([device.depth(3, uptime: 100), device.depth(4, uptime: 101)])
                try await eventually("its frames are committed") { committed("d1", fixture) == 1 }
            }
            try deny([])
            try await GatewayFixture.run(GatewayFixture.gateway(on: broker, configure: configure)) {
                // Nothing else publishes it: the decision has not changed.
                try await fixture.sees("the decision is published", of: "d1") { $0.kind == "access/submersion" }
                try await fixture.sees("and the depth, which a restart makes unknown", of: "d1") {
                    $0.kind == "depth-state" && $0.text("cause") == "restart"
                }
            }
        }
    }

    @Test("keeps a request to erase its device until it accepts that the retained message is cleared")
    func erasure() async throws {
        let log = CollectedLog()
        let requests = ErasureRequests(stateDirectory: directory.path("state"))
        var (device, other) = (TestDevice("d1", offset: now - 100), TestDevice("d2", offset: now - 100))
        let (id, otherID) = (try #require(DeviceID("d1")), try #require(DeviceID("d2")))
        let gateway = try GatewayFixture.gateway(on: broker, logger: log.logger, configure: configure)
        try await GatewayFixture.run(gateway, beside: broker) { fixture in
            try await fixture.publish([device.depth(3, uptime: 100), other.depth(3, uptime: 100)])
            try await eventually("the depths are retained") {
                depths("d1", fixture) == [3] && depths("d2", fixture) == [3]
            }
            try deny(["wearables/d1/out/depth-state"])
            try requests.add(id)
            try requests.add(otherID)
            try await eventually("the refusal is logged") {
                log.contains("d1: the broker refuses wearables/d1/out/depth-state")
            }
            try await eventually("the other device is erased") { !requests.contains(otherID) }
            #expect(requests.contains(id))
            try deny([])
            try await eventually("the device is erased") { !requests.contains(id) }
            #expect(fixture.watcher.messages(of: "d1").last { $0.kind == "depth-state" }?.isClearing == true)
        }
    }

    @Test("by size alone takes other messages of its topic along, and no blame falls on the access list")
    func size() async throws {
        try broker.configure(["allow_anonymous true", "acl_file %d/acl", "message_size_limit 700"])
        broker.reload()
        let log = CollectedLog()
        let gateway = try GatewayFixture.gateway(on: broker, logger: log.logger, configure: configure)
        try await GatewayFixture.run(gateway, beside: broker) { fixture in
            var device = TestDevice("d1", offset: now - 1_000)
            try await fixture.publish((0...300).map { device.depth($0 < 280 ? 5 : 0, uptime: 100 + Double($0)) })
            try await eventually("its frames are committed") { committed("d1", fixture) == 300 }
            #expect(!fixture.watcher.messages(of: "d1").contains { $0.kind == "dive" })
            #expect(log.contains("message_size_limit") && !log.contains("in the broker's ACL"))
            try broker.configure(["allow_anonymous true", "acl_file %d/acl"])
            broker.reload()
            try await fixture.sees("the dive is published", of: "d1") { $0.kind == "dive" }
        }
    }

    @Test("is found by the check before a gateway runs: by its kind, and by the size of the largest message")
    func check() async throws {
        func problems() async throws -> [String] {
            var configuration = GatewayConfiguration()
            configuration.gateway.name = "test"
            configuration.mqtt.port = Int(broker.port)
            configure(&configuration)
            return await ConnectionCheck(configuration: configuration).run().filter { $0.verdict == .problem }.map(\.message)
        }
        #expect(try await problems() == [])
        try deny(["wearables/+/out/dive"])
        try broker.configure(["allow_anonymous true", "acl_file %d/acl", "message_size_limit 1300"])
        broker.reload()
        let found = try await problems()
        #expect(found.count == 2, "\(found)")
        #expect(found.contains { $0.contains("may not publish on wearables/test/out/dive") && $0.contains("\"user out\"") })
        #expect(found.contains { $0.contains("message_size_limit") && !$0.contains("ACL") })
    }
}
