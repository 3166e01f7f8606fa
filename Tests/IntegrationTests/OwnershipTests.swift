import GatewayConfiguration
import GatewayRuntime
import GatewayTestSupport
import LocalBroker
import Mosquitto
import ServiceLifecycle
import Testing

@Suite("One gateway for each name", .timeLimit(.minutes(5)))
struct OwnershipTests {
    private func epoch(of fixture: GatewayFixture) -> Double? {
        fixture.watcher.messages.last { $0.topic == "fathom/test/status" && $0.text("state") == "online" }?.number("epoch")
    }

    @Test("the epoch is in every message, rises with each start, and is stored")
    func epochs() async throws {
        let broker = try await BrokerProcess()
        let directory = try TemporaryDirectory()
        for epoch in [1.0, 2, 3] {
            if epoch == 3 {
                broker.kill()
                try broker.deleteState()
                try await broker.start()
            }
            let gateway = try GatewayFixture.gateway(on: broker) { $0.gateway.stateDirectory = directory.path("state") }
            try await GatewayFixture.run(gateway, beside: broker) { fixture in
                let name = "d\(Int(epoch))"
                try await fixture.dive(as: name)
                #expect(fixture.watcher.messages(of: name).allSatisfy { $0.number("epoch") == epoch })
                #expect(self.epoch(of: fixture) == epoch)
            }
        }
    }

    @Test("an empty state directory is refused where the broker has kept the session, unless that is permitted")
    func emptyState() async throws {
        let broker = try await BrokerProcess()
        let directory = try TemporaryDirectory()
        func gateway(_ folder: String, withoutState: Bool = false) throws -> Gateway {
            try GatewayFixture.gateway(on: broker, withoutState: withoutState) {
                $0.gateway.stateDirectory = directory.path(folder)
            }
        }
        /// A folder is released by the last thread of a gateway that uses it.
        func release(_ folder: String) async throws {
            try await eventually("\(folder) is released") { !StateDirectory.isHeld(directory.path(folder)) }
        }
        try await GatewayFixture.run(gateway("first")) {}
        try await release("first")
        let refused = try gateway("second").group(signals: [])
        let error = await #expect(throws: GatewayError.self) { try await refused.run() }
        #expect(error?.description.contains("--without-state") == true)
        #expect(error?.description.contains("test-in-safety") == true)
        // The first is as it was, and a directory that was refused stays refused.
        try await GatewayFixture.run(gateway("first")) {}
        try await release("second")
        let again = try gateway("second").group(signals: [])
        await #expect(throws: GatewayError.self) { try await again.run() }
        try await release("second")
        try await GatewayFixture.run(gateway("second", withoutState: true)) {}
        try await release("second")
        try await GatewayFixture.run(gateway("second")) {}
    }

    @Test("a gateway without a state directory starts whatever the broker has kept")
    func noDirectory() async throws {
        let broker = try await BrokerProcess()
        for _ in 0..<2 {
            try await GatewayFixture.run(broker: broker) { fixture in
                try await fixture.sees("the status says so") { $0.topic == "fathom/test/status" && $0.flag("durable") == false }
            }
        }
    }

    @Test("the status of an earlier run, published late, is replaced")
    func lateWill() async throws {
        try await GatewayFixture.run { fixture in
            let late = MQTTMessage(
                topic: "fathom/test/status",
                payload: Array(#"{"schema":"wearables/1","gateway":"test","state":"offline","version":"0"}"#.utf8),
                retain: true)
            try await eventually("it is online") { epoch(of: fixture) != nil }
            let count = fixture.watcher.messages.count
            try await fixture.publisher.publish([late])
            try await eventually("it is online again") {
                let later = fixture.watcher.messages.dropFirst(count).filter { $0.topic == "fathom/test/status" }
                return later.contains { $0.text("state") == "offline" } && later.last?.text("state") == "online"
            }
        }
    }

    @Test("while the broker is away the name is kept, and the gateway goes on with its epoch")
    func outage() async throws {
        let broker = try await BrokerProcess()
        let gateway = try GatewayFixture.gateway(on: broker)
        try await GatewayFixture.run(gateway, beside: broker) { fixture in
            try await eventually("it is online") { epoch(of: fixture) == 1 }
            await broker.stop()
            // Its lease has ended by then: only the account of claims tries to connect.
            try await eventually("the name is in doubt") {
                await gateway.monitor.readiness().contains { $0.check == "claim" }
            }
            try await broker.start()
            try await eventually("it reads again") { await gateway.monitor.readiness().isEmpty }
            try await fixture.dive(as: "late")
            #expect(fixture.watcher.messages(of: "late").contains { $0.kind == "depth-state" && $0.number("epoch") == 1 })
        }
    }
}
