import LocalBroker
import Synchronization
import Testing

@testable import Mosquitto

@Suite("What a fence permits", .timeLimit(.minutes(2)))
struct FenceTests {
    private final class TestFence: ConnectionFence {
        private let state: Mutex<FencePassage>

        init(_ passage: FencePassage) { state = Mutex(passage) }

        var passage: FencePassage {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }

    @Test("a lifecycle does not connect before it may, and then at once")
    func connecting() {
        let now = MonotonicInstant.now
        var generator = SystemRandomNumberGenerator()
        var lifecycle = ConnectionLifecycle(
            configuration: MosquittoConfiguration(brokers: BrokerList(host: "broker"), clientID: "gateway"), startingAt: now)
        lifecycle.mayConnect = false
        #expect(lifecycle.nextDeadline == nil)
        let held = lifecycle.handle(.tick, at: now, using: &generator)
        #expect(held.isEmpty)
        lifecycle.mayConnect = true
        let free = lifecycle.handle(.tick, at: now, using: &generator)
        #expect(free == [.announce(.connecting), .connect])
    }

    @Test("messages of control go before all others, and alone where only they may")
    func control() {
        var outboxes = Outboxes(window: 1)
        for (topic, priority) in [("normal", PublishPriority.normal), ("urgent", .urgent), ("control", .control)] {
            outboxes[priority].append([MQTTMessage(topic: topic, payload: [])])
        }
        func next(controlOnly: Bool) -> String? {
            guard let next = outboxes.next(at: .now, controlOnly: controlOnly) else { return nil }
            outboxes.published(next.message, at: next.place, as: Int32(next.message.topic.utf8.count), at: .now)
            outboxes.accepted(Int32(next.message.topic.utf8.count), at: .now)
            return next.message.topic
        }
        #expect(next(controlOnly: true) == "control")
        #expect(next(controlOnly: true) == nil)
        #expect([next(controlOnly: false), next(controlOnly: false)] == ["urgent", "normal"])
    }

    @Test("a closed fence lets messages of control pass only, and the others when it opens")
    func closed() async throws {
        let broker = try await BrokerProcess()
        let fence = TestFence(.open)
        let configuration = MosquittoConfiguration.test(broker.port, "out").with { $0.fence = fence }
        try await withClient(configuration) { client in
            try await client.connected()
            fence.passage = .closed
            let held = client.enqueue(numbered("a", 0..<1))
            let control = client.client.enqueue(numbered("b", 0..<1), priority: .control)
            try await client.settled(control)
            #expect(client.client.progress(of: held) == .waiting)
            fence.passage = .open
            try await client.settled(held)
        }
    }

    @Test("where the fence is lost a stop publishes nothing more, and ends at once")
    func lost() async throws {
        let broker = try await BrokerProcess()
        let fence = TestFence(.open)
        let configuration = MosquittoConfiguration.test(broker.port, "out").with { $0.fence = fence }
        try await withClient(configuration) { client in
            try await client.connected()
            fence.passage = .lost
            let ticket = client.enqueue(numbered("a", 0..<1))
            await client.stop()
            #expect(client.client.progress(of: ticket) == .stopped)
            #expect(!broker.log.contains("Received DISCONNECT from out"))
        }
    }
}
