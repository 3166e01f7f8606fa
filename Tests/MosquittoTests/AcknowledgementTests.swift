import BrokerTestSupport
import GatewayTestSupport
import LocalBroker
import Mosquitto
import Synchronization
import Testing

/// Pins behaviour of libmosquitto that is not documented: when acknowledgements are written.
@Suite(.timeLimit(.minutes(5)))
struct AcknowledgementTests {
    private let configuration = { (port: UInt16) in MosquittoConfiguration.test(port, version: .v311, "in/#") }

    private func connect(_ broker: ScriptedBroker) async throws -> ScriptedConnection {
        let connection = try await broker.accept(answering: .accepted())
        try await connection.send(.grant(1, to: connection.expect(.subscribe)))
        return connection
    }

    /// Runs `body` with a client and its connection.
    private func withConnection(
        _ change: (inout MosquittoConfiguration) -> Void = { _ in }, _ body: (TestClient, ScriptedConnection) async throws -> Void
    ) async throws {
        let broker = try ScriptedBroker()
        try await withClient(configuration(broker.port).with(change)) { client in try await body(client, connect(broker)) }
    }

    @Test("Nothing is written between reading messages and committing their batch")
    func acknowledgementsWaitForCommit() async throws {
        try await withConnection { client, connection in
            try await client.connected()
            try await connection.send(
                .publish("in/a", "1", identifier: 1), .publish("in/a", "2", identifier: 2), .publish("in/a", "3", identifier: 3))
            let batch = try #require(await client.nextBatch())
            #expect(batch.messages.map(\.text) == ["1", "2", "3"])
            // What the client publishes meanwhile must wait too: it would leave behind the acknowledgements.
            client.enqueue([MQTTMessage("out", "x")])
            #expect(try await connection.isSilent(forMilliseconds: 300))

            batch.commit()
            for identifier: UInt16 in 1...3 {
                #expect(try await connection.expect(.publishAcknowledgement).identifier == identifier)
            }
            try await connection.expect(.publish)
        }
    }

    @Test("A released batch is never acknowledged, its connection is closed")
    func releaseDropsTheSocket() async throws {
        let broker = try ScriptedBroker()
        try await withClient(configuration(broker.port)) { client in
            let connection = try await connect(broker)
            try await connection.send(.publish("in/a", "1", identifier: 1))
            let batch = try #require(await client.nextBatch())
            batch.release()
            #expect(try await connection.receive() == nil)
            _ = try await connect(broker)
        }
    }

    @Test("While batches are held more is read and nothing written, and one commit acknowledges them all")
    func heldBatchesAreCommittedTogether() async throws {
        try await withConnection { client, connection in
            for number: UInt16 in 1...3 {
                try await connection.send(.publish("in/a", "\(number)", identifier: number))
                let batch = try #require(await client.nextBatch())
                #expect(batch.messages.map(\.text) == ["\(number)"])
                batch.hold(until: .now + .seconds(60))
            }
            #expect(try await connection.isSilent(forMilliseconds: 100))
            try await connection.send(.publish("in/a", "4", identifier: 4))
            try #require(await client.nextBatch()).commit()
            for identifier: UInt16 in 1...4 {
                #expect(try await connection.expect(.publishAcknowledgement).identifier == identifier)
            }
        }
    }

    @Test("When the time of held batches is over an empty batch is handed over, with which they can be committed")
    func heldBatchesComeBack() async throws {
        try await withConnection { client, connection in
            try await connection.send(.publish("in/a", "1", identifier: 1))
            try #require(await client.nextBatch()).hold(until: .now + .milliseconds(50))
            let empty = try #require(await client.nextBatch())
            #expect(empty.messages.isEmpty)
            #expect(try await connection.isSilent(forMilliseconds: 50))
            empty.commit()
            try await connection.expect(.publishAcknowledgement)
        }
    }

    @Test("Releasing a batch releases those that were held before it")
    func releaseGivesBackHeldBatches() async throws {
        try await withConnection { client, connection in
            try await connection.send(.publish("in/a", "1", identifier: 1))
            try #require(await client.nextBatch()).hold(until: .now + .seconds(60))
            try await connection.send(.publish("in/a", "2", identifier: 2))
            try #require(await client.nextBatch()).release()
            #expect(try await connection.receive() == nil)
        }
    }

    @Test("A stop releases held batches before reading ends")
    func stopHandsHeldBatchesBack() async throws {
        try await withConnection { client, connection in
            try await connection.send(.publish("in/a", "1", identifier: 1))
            try #require(await client.nextBatch()).hold(until: .now + .seconds(60))
            try await client.stop {
                let last = try #require(await client.nextBatch())
                #expect(last.messages.isEmpty)
                last.commit()
                try await connection.expect(.publishAcknowledgement)
                try await connection.expect(.disconnect)
                connection.hangUp()
            }
            #expect(await client.nextBatch() == nil)
        }
    }

    @Test("A batch dropped unsettled is released, and settling twice counts once")
    func settlementHappensOnce() async throws {
        let broker = try ScriptedBroker()
        try await withClient(configuration(broker.port)) { client in
            let first = try await connect(broker)
            try await first.send(.publish("in/a", "1", identifier: 1))
            _ = await client.nextBatch()
            #expect(try await first.receive() == nil)

            let second = try await connect(broker)
            try await second.send(.publish("in/a", "1", identifier: 1))
            let batch = try #require(await client.nextBatch())
            batch.commit()
            batch.release()
            try await second.expect(.publishAcknowledgement)
            #expect(try await second.isSilent(forMilliseconds: 100))
        }
    }

    @Test("A batch holds no more messages than its limit, and the next is read after it")
    func batchLimit() async throws {
        try await withConnection({ $0.batchLimit = 2 }) { client, connection in
            try await connection.send(
                .publish("in/a", "1", identifier: 1), .publish("in/a", "2", identifier: 2), .publish("in/a", "3", identifier: 3))
            let first = try #require(await client.nextBatch())
            #expect(first.messages.map(\.text) == ["1", "2"])
            first.commit()
            let second = try #require(await client.nextBatch())
            #expect(second.messages.map(\.text) == ["3"])
        }
    }

    @Test("What comes within the time after a batch is one batch")
    func gathering() async throws {
        try await withConnection({ ($0.gatherMilliseconds, $0.gathersAbove) = (2_000, 0) }) { client, connection in
            try await connection.send(.publish("in/a", "1", identifier: 1))
            let first = try #require(await client.nextBatch())
            #expect(first.messages.map(\.text) == ["1"])
            first.hold(until: .now + .seconds(60))
            for number: UInt16 in 2...3 { try await connection.send(.publish("in/a", "\(number)", identifier: number)) }
            let second = try #require(await client.nextBatch())
            #expect(second.messages.map(\.text) == ["2", "3"])
            second.commit()
        }
    }

    @Test("Nothing is waited for behind a batch while the handler does not allow it")
    func gatheringNotAllowed() async throws {
        let broker = try ScriptedBroker()
        let client = MosquittoClient(
            configuration: configuration(broker.port).with { ($0.gatherMilliseconds, $0.gathersAbove) = (3_600_000, 0) },
            logger: CollectedLog().logger)
        let calls = RecordedCalls()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    try await client.run { RecordingHandler(calls, gathersFrom: .now + .seconds(3_600)) }
                } catch is CancellationError {}
            }
            defer { group.cancelAll() }
            let connection = try await connect(broker)
            for number: UInt16 in 1...3 {
                try await connection.send(.publish("in/a", "\(number)", identifier: number))
                try await eventually("it is handed over") { calls.all.contains("\(number)") }
            }
        }
    }

    @Test("A thread that has little to do reads at once")
    func gatheringIdle() async throws {
        try await withConnection({ $0.gatherMilliseconds = 3_600_000 }) { client, connection in
            for number: UInt16 in 1...3 {
                try await connection.send(.publish("in/a", "\(number)", identifier: number))
                let batch = try #require(await client.nextBatch())
                #expect(batch.messages.map(\.text) == ["\(number)"])
                batch.hold(until: .now + .seconds(60))
            }
        }
    }

    @Test("What has come when that time is over is handed over before the next review")
    func gatheringBeforeReview() async throws {
        let broker = try ScriptedBroker()
        let calls = RecordedCalls()
        let client = MosquittoClient(
            configuration: configuration(broker.port).with {
                ($0.gatherMilliseconds, $0.gathersAbove) = (2_000, 0)
                $0.keepAliveSeconds = 60
            }, logger: CollectedLog().logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                do { try await client.run { RecordingHandler(calls) } } catch is CancellationError {}
            }
            defer { group.cancelAll() }
            let connection = try await connect(broker)
            try await connection.send(.publish("in/a", "1", identifier: 1))
            try await eventually("the first is handed over") { calls.all.contains("1") }
            try await connection.send(.publish("in/a", "2", identifier: 2))
            try await eventually("the second is reviewed") { calls.all.last == "review" && calls.all.contains("2") }
            #expect(calls.all.drop { $0 != "1" }.prefix(3) == ["1", "review", "2"])
        }
    }

    @Test("Acknowledgements end the time after a batch in which nothing is read")
    func gatheringEnds() async throws {
        try await withConnection({ ($0.gatherMilliseconds, $0.gathersAbove) = (3_600_000, 0) }) { client, connection in
            for number: UInt16 in 1...2 {
                try await connection.send(.publish("in/a", "\(number)", identifier: number))
                let batch = try #require(await client.nextBatch())
                #expect(batch.messages.map(\.text) == ["\(number)"])
                batch.commit()
            }
        }
    }

    @Test("Released messages come again from a real broker, committed ones do not", arguments: versions)
    func redelivery(version: MosquittoConfiguration.ProtocolVersion) async throws {
        let broker = try await BrokerProcess()
        try await withClient(.test(broker.port, "in", version: version, "in/#")) { client in
            try await client.connected()
            try await withClient(.test(broker.port, "out", version: version)) { try await $0.publish(numbered("in/a", 0..<10)) }

            var released: [MQTTMessage] = []
            let first = try #require(await client.nextBatch())
            released = first.messages
            first.release()
            let again = try await client.take(10)
            #expect(Array(again.prefix(released.count)) == released)
            #expect(again.map(\.text) == (0..<10).map(String.init))
            #expect(client.statistics.batchesReleased == 1)
            await client.stop()
        }
        try await withClient(.test(broker.port, "in", version: version, "in/#")) { client in
            try await client.connected()
            #expect(client.state == .connected(sessionPresent: true))
            try await withClient(.test(broker.port, "out", version: version)) {
                try await $0.publish([MQTTMessage("in/a", "last")])
            }
            #expect(try await client.take(1).map(\.text) == ["last"])
        }
    }
}

/// The calls of a handler, in order.
private final class RecordedCalls: Sendable {
    private let calls = Mutex<[String]>([])

    var all: [String] { calls.withLock { $0 } }

    func note(_ call: String) { calls.withLock { $0.append(call) } }
}

/// Holds all acknowledgements, and records its calls.
private final class RecordingHandler: DeliveryHandler {
    private let calls: RecordedCalls
    private let gathersFrom: MonotonicInstant?

    init(_ calls: RecordedCalls, gathersFrom: MonotonicInstant? = nil) { (self.calls, self.gathersFrom) = (calls, gathersFrom) }

    func receive(_ messages: [MQTTMessage]) { for message in messages { calls.note(message.text) } }

    func review(isStopping: Bool) -> DeliveryDecision {
        calls.note("review")
        return DeliveryDecision(.hold, gathersFrom: gathersFrom)
    }
}
