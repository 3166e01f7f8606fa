import BrokerTestSupport
import Foundation
import LocalBroker
import Synchronization
import Testing

@testable import Mosquitto

@Suite("What a fence permits", .timeLimit(.minutes(2)))
struct FenceTests {
    /// Says what a test has set, and counts how often it was asked since.
    private final class TestFence: ConnectionFence {
        private let state: Mutex<(passage: FencePassage, looks: Int)>

        init(_ passage: FencePassage) { state = Mutex((passage, 0)) }

        var passage: FencePassage {
            get {
                state.withLock { state in
                    state.looks += 1
                    return state.passage
                }
            }
            set { state.withLock { $0 = (newValue, 0) } }
        }

        func asked(_ times: Int) async throws {
            try await eventually("the fence is looked at") { state.withLock { $0.looks } >= times }
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

    @Test("a thread that went on late does not connect by what the fence permitted before")
    func late() async throws {
        let broker = try await BrokerProcess()
        let fence = TestFence(.open)
        let configuration = MosquittoConfiguration.test(broker.port).with {
            $0.fence = fence
            $0.backOff = .init(initialSeconds: 0.02, maximumSeconds: 0.02)
        }
        // Returns after the time at which the client would connect again.
        let closing: @Sendable () -> Void = {
            fence.passage = .closed
            let due = MonotonicInstant.now + .milliseconds(50)
            while .now < due {}
        }
        try await withClient(configuration, whenDisconnected: closing) { client in
            try await client.connected()
            broker.kill()
            try await client.reached("disconnected") { if case .disconnected = $0 { true } else { false } }
            try await fence.asked(10)
            // Not `connectFailed`, which an attempt would lead to.
            guard case .disconnected(.lost) = client.state else { throw NeverHappened(description: "\(client.state)") }
            try await broker.start()
            fence.passage = .open
            try await client.connected()
        }
    }

    @Test("CONNECT does not leave once the fence is closed, however long the connection took to be made")
    func handshake() async throws {
        let directory = try TemporaryDirectory()
        let certificates = try TestCertificates(client: "gateway", in: directory)
        let broker = try await BrokerProcess(
            settings: ["allow_anonymous true", "cafile %d/ca.crt", "certfile %d/server.crt", "keyfile %d/server.key"],
            in: directory)
        let fence = TestFence(.open)
        let configuration = MosquittoConfiguration.test(broker.port, "late").with {
            $0.fence = fence
            $0.tls = MosquittoTLS(caFile: certificates.authority)
        }
        broker.freeze()
        try await withClient(configuration) { client in
            // Before the first step, before the attempt, and after it.
            try await fence.asked(3)
            fence.passage = .closed
            let opened = broker.log.components(separatedBy: "New connection from").count
            broker.thaw()
            try await eventually("the connection is open") {
                broker.log.components(separatedBy: "New connection from").count > opened
            }
            try await fence.asked(40)
            #expect(!broker.log.contains("as late"))
            fence.passage = .open
            try await client.connected()
        }
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
