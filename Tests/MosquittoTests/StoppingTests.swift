import BrokerTestSupport
import GatewayTestSupport
import LocalBroker
import Mosquitto
import Testing

@Suite(.timeLimit(.minutes(5)))
struct StoppingTests {
    private func withWill(_ port: UInt16, _ version: MosquittoConfiguration.ProtocolVersion) -> MosquittoConfiguration {
        .test(port, "gateway", version: version, "in/#").with { $0.will = MQTTMessage("will", "gone") }
    }

    @Test("Stopping in order publishes no will; losing the socket does", arguments: versions)
    func will(version: MosquittoConfiguration.ProtocolVersion) async throws {
        let broker = try await BrokerProcess()
        try await withClient(.test(broker.port, "witness", "will", "mark")) { witness in
            try await witness.connected()
            try await withClient(withWill(broker.port, version)) { client in
                try await client.connected()
                await client.stop()
                #expect(client.state == .stopped)
            }
            try await withClient(.test(broker.port, "out")) { try await $0.publish([MQTTMessage("mark", "stopped")]) }
            // Cancelled at the end of this block.
            try await withClient(withWill(broker.port, version)) { try await $0.connected() }
            #expect(try await witness.take(2).map(\.text) == ["stopped", "gone"])
        }
    }

    @Test("Stopping writes the acknowledgements of a batch settled meanwhile", arguments: versions)
    func stopWithOpenBatch(version: MosquittoConfiguration.ProtocolVersion) async throws {
        let broker = try await BrokerProcess()
        try await withClient(.test(broker.port, "witness", "will", "mark")) { witness in
            try await witness.connected()
            try await withClient(withWill(broker.port, version)) { client in
                try await client.connected()
                try await withClient(.test(broker.port, "out")) { try await $0.publish([MQTTMessage("in/a", "1")]) }
                let batch = try #require(await client.nextBatch())
                // More to read than is ever read: closing must not reset the connection over it.
                try await withClient(.test(broker.port, "out")) { try await $0.publish(numbered("in/a", 2..<50)) }
                try await client.stop { batch.commit() }
                #expect(await client.nextBatch() == nil)
            }
            try await withClient(.test(broker.port, "out")) { try await $0.publish([MQTTMessage("mark", "stopped")]) }
            #expect(try await witness.take(1).map(\.text) == ["stopped"])
        }
        try await withClient(withWill(broker.port, version)) { client in
            let rest = try await client.take(48)
            #expect(rest.first?.text == "2")
        }
    }

    @Test("After a stop the open batch can be settled, then there are no more")
    func stopWhileReading() async throws {
        let broker = try await BrokerProcess()
        try await withClient(.test(broker.port, "in", "in/#").with { $0.batchLimit = 1 }) { client in
            try await client.connected()
            try await withClient(.test(broker.port, "out")) { try await $0.publish(numbered("in/a", 0..<3)) }
            let batch = try #require(await client.nextBatch())
            try await client.stop { batch.commit() }
            #expect(await client.nextBatch() == nil)
        }
        try await withClient(.test(broker.port, "in", "in/#")) { client in
            let rest = try await client.take(2)
            #expect(rest.map(\.text) == ["1", "2"])
        }
    }

    @Test("Stopping drains the outbox, and gives up at its deadline")
    func drain() async throws {
        let broker = try await BrokerProcess()
        try await withClient(.test(broker.port)) { client in
            try await client.connected()
            let ticket = client.enqueue(numbered("out", 0..<2_000))
            await client.stop()
            try await client.settled(ticket)
        }
        try await withClient(.test(broker.port).with { $0.drainTimeoutSeconds = 0.2 }) { client in
            try await client.connected()
            broker.freeze()
            let ticket = client.enqueue(numbered("out", 0..<1))
            await client.stop()
            await #expect(throws: MosquittoError.self) { try await client.settled(ticket) }
        }
    }

    @Test(
        "With a subscription at QoS 0 the outbox is drained as without one, and nothing of it is acknowledged",
        arguments: versions)
    func drainWithSubscription(version: MosquittoConfiguration.ProtocolVersion) async throws {
        let broker = try await BrokerProcess()
        var configuration = MosquittoConfiguration.test(broker.port, version: version)
        configuration.subscriptions = [.init("hub/status", qos: .atMostOnce, isRequired: false)]
        try await withClient(configuration) { client in
            try await client.connected()
            let first = client.enqueue(numbered("hub/status", 0..<3))
            #expect(try await client.take(3).map(\.text) == ["0", "1", "2"])
            try await client.settled(first)
            let ticket = client.enqueue(numbered("out", 0..<2_000))
            await client.stop()
            try await client.settled(ticket)
        }
        #expect(!broker.log.contains("Received PUBACK from gateway"))
    }

    @Test("A batch that is never settled does not hold up stopping for longer than its deadline")
    func abandonedBatch() async throws {
        let broker = try await BrokerProcess()
        let configuration = MosquittoConfiguration.test(broker.port, "in", "in/#").with { $0.drainTimeoutSeconds = 0.2 }
        try await withClient(configuration) { client in
            try await client.connected()
            try await withClient(.test(broker.port, "out")) { try await $0.publish([MQTTMessage("in/a", "1")]) }
            let batch = try #require(await client.nextBatch())
            await client.stop()
            batch.commit()
        }
        let again = try await withClient(configuration) { try await $0.take(1) }
        #expect(again.map(\.text) == ["1"])
    }

    @Test("What a handler throws while the client stops is thrown by the run")
    func failureWhileStopping() async throws {
        final class Failing: DeliveryHandler {
            func receive(_ messages: [MQTTMessage]) {}
            func review(isStopping: Bool) throws -> DeliveryDecision {
                if isStopping { throw NeverHappened(description: "the last write") }
                return DeliveryDecision(.write)
            }
        }
        let broker = try await BrokerProcess()
        let client = MosquittoClient(configuration: .test(broker.port), logger: CollectedLog().logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run { Failing() } }
            try await eventually("it is connected") { if case .connected = client.state { true } else { false } }
            await client.stop()
            await #expect(throws: NeverHappened.self) { try await group.next() }
        }
    }

    @Test("Cancelling the run ends it at once, even with a batch open")
    func cancellation() async throws {
        let broker = try await BrokerProcess()
        let client = TestClient(.test(broker.port, "in", "in/#"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            try await client.connected()
            try await withClient(.test(broker.port, "out")) { try await $0.publish([MQTTMessage("in/a", "1")]) }
            let batch = try #require(await client.nextBatch())
            group.cancelAll()
            await #expect(throws: CancellationError.self) { try await group.next() }
            batch.commit()
        }
        #expect(client.state == .stopped)
    }

    @Test("A client stopped before it runs does not run, and none runs twice")
    func stoppedBeforeRun() async throws {
        let client = TestClient(.test(1))
        await client.stop()
        try await client.run()

        let second = TestClient(.test(try LoopbackPort.free()))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await second.run() }
            try await second.reached("disconnected") { if case .disconnected = $0 { true } else { false } }
            await #expect(throws: MosquittoError.self) { try await second.run() }
            await second.stop()
        }
    }

    @Test("Waiting for a batch ends with its task")
    func cancelledWait() async throws {
        let client = TestClient(.test(1, "in/#"))
        let isNil = await withTaskGroup(of: Bool.self) { group in
            group.addTask { await client.nextBatch() == nil }
            group.cancelAll()
            return await group.next()
        }
        #expect(isNil == true)
    }
}
