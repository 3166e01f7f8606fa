import LocalBroker
import Synchronization
import Testing
import WearableFrames

@Suite("A frame sender", .timeLimit(.minutes(1)))
struct FrameSenderTests {
    private let instant = DeviceInstant(uptime: 100, unix: 1_763_749_000)

    private func report(_ sequence: Int, epoch: Int? = nil) -> [UInt8] {
        let epoch = epoch.map { #""epoch":\#($0),"# } ?? ""
        return Array(
            #"{\#(epoch)"schema":"wearables/1","device":"d1","kind":"committed/command","boot":"b1","seq":\#(sequence)}"#.utf8)
    }

    /// Runs `body` beside a sender that has `count` frames; `body` takes the numbers of each group that is published.
    private func sending(
        _ count: Int, _ retention: FrameSender.Retention = .untilCommitted,
        _ body: (FrameSender, ScriptedPublisher, inout FrameBuilder) async throws -> Void
    ) async throws {
        var frames = FrameBuilder(device: DeviceID(cleaning: "d1"), boot: BootID(cleaning: "b1"))
        let publisher = ScriptedPublisher()
        let sender = FrameSender(outbox: Outbox(), publisher: publisher, retention: retention)
        for _ in 0..<count { try await sender.send(try frames.command(.resetCounts, at: instant)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await sender.run() }
            try await body(sender, publisher, &frames)
            group.cancelAll()
        }
    }

    @Test func `Sends nothing before a connection, then everything in order, then each frame as it comes`() async throws {
        try await sending(25) { sender, publisher, frames in
            #expect(publisher.published.isEmpty)
            await sender.connected()
            #expect(await publisher.next() == Array(0..<20))
            #expect(await publisher.next() == Array(20..<25))
            try await sender.send(try frames.command(.resetCounts, at: instant))
            #expect(await publisher.next() == [25])
            #expect(await sender.outbox.count == 26)
        }
    }

    @Test func `Sends on after its task was cancelled and another runs it`() async throws {
        var frames = FrameBuilder(device: DeviceID(cleaning: "d1"), boot: BootID(cleaning: "b1"))
        let publisher = ScriptedPublisher()
        let sender = FrameSender(outbox: Outbox(), publisher: publisher)
        await sender.connected()
        for round: UInt64 in 0..<3 {
            let task = Task { try await sender.run() }
            try await sender.send(try frames.command(.resetCounts, at: instant))
            #expect(await publisher.next() == [round])
            task.cancel()
            try await task.value
        }
    }

    @Test func `Sends on after its task was cancelled while the publisher waited`() async throws {
        var frames = FrameBuilder(device: DeviceID(cleaning: "d1"), boot: BootID(cleaning: "b1"))
        let publisher = WaitingPublisher()
        let sender = FrameSender(outbox: Outbox(), publisher: publisher)
        await sender.connected()
        try await sender.send(try frames.command(.resetCounts, at: instant))
        for count in 1...2 {
            let task = Task { try await sender.run() }
            try await eventually("the frame is published") { publisher.count == count }
            task.cancel()
            try await task.value
        }
    }

    @Test func `Sends again after each connection what is not committed`() async throws {
        try await sending(3) { sender, publisher, frames in
            await sender.connected()
            #expect(await publisher.next() == [0, 1, 2])
            try await sender.acknowledge(report(0), isRetained: true)
            await sender.disconnected()
            try await sender.send(try frames.command(.resetCounts, at: instant))
            await sender.connected()
            #expect(await publisher.next() == [1, 2, 3])
        }
    }

    @Test func `Sends again at the first report of a connection and at one that is repeated, but not at a retained one`()
        async throws
    {
        try await sending(3) { sender, publisher, frames in
            try await sender.acknowledge(report(0), isRetained: true)
            await sender.connected()
            #expect(await publisher.next() == [1, 2])
            try await sender.acknowledge(report(0), isRetained: true)
            try await sender.send(try frames.command(.resetCounts, at: instant))
            #expect(await publisher.next() == [3])
            try await sender.acknowledge(report(1), isRetained: false)
            #expect(await publisher.next() == [2, 3])
            try await sender.acknowledge(report(2), isRetained: false)
            try await sender.send(try frames.command(.resetCounts, at: instant))
            #expect(await publisher.next() == [4])
            try await sender.acknowledge(report(2), isRetained: false)
            #expect(await publisher.next() == [3, 4])
        }
    }

    @Test func `Sends nothing again at a report that names more of another boot`() async throws {
        func report(other: Int) -> [UInt8] {
            Array(
                """
                {"schema":"wearables/1","device":"d1","kind":"committed/recorded-accelerometer","boot":"b2","seq":1,
                "otherBoots":[{"boot":"b1","seq":\(other)}]}
                """.utf8)
        }
        try await sending(2) { sender, publisher, frames in
            await sender.connected()
            #expect(await publisher.next() == [0, 1])
            try await sender.acknowledge(report(other: 0), isRetained: false)
            #expect(await publisher.next() == [0, 1], "the first")
            try await sender.acknowledge(report(other: 1), isRetained: false)
            try await sender.send(try frames.command(.resetCounts, at: instant))
            #expect(await publisher.next() == [2])
            try await sender.acknowledge(report(other: 1), isRetained: false)
            #expect(await publisher.next() == [0, 1, 2], "the same again")
        }
    }

    @Test func `Takes no report of a gateway that another has taken over from`() async throws {
        try await sending(3) { sender, publisher, frames in
            await sender.connected()
            #expect(await publisher.next() == [0, 1, 2])
            try await sender.acknowledge(report(0, epoch: 6), isRetained: true)
            try await sender.acknowledge(report(2, epoch: 5), isRetained: true)
            #expect(await sender.outbox.count == 2)
            // Epochs begin at 1 again where a gateway and its broker have lost all that they kept.
            await sender.disconnected()
            await sender.connected()
            #expect(await publisher.next() == [1, 2])
            try await sender.acknowledge(report(1, epoch: 1), isRetained: true)
            #expect(await sender.outbox.count == 1)
        }
    }

    @Test func `Waits for the next connection when a publish fails, and sends the frames again`() async throws {
        try await sending(2) { sender, publisher, frames in
            publisher.failNext()
            await sender.connected()
            #expect(await publisher.next() == [0, 1])
            await sender.connected()
            #expect(await publisher.next() == [0, 1])
        }
    }

    @Test func `Keeps frames only until the broker has accepted them where that is set`() async throws {
        try await sending(2, .untilAccepted) { sender, publisher, frames in
            await sender.connected()
            #expect(await publisher.next() == [0, 1])
            try await sender.send(try frames.command(.resetCounts, at: instant))
            #expect(await publisher.next() == [2])
            try await eventually("what was accepted is not kept") { await sender.outbox.isEmpty }
            await sender.connected()
            try await sender.send(try frames.command(.resetCounts, at: instant))
            #expect(await publisher.next() == [3])
        }
    }

    @Test func `Sends what is behind a frame that the broker refuses, and that frame with the next connection`() async throws {
        try await sending(4) { sender, publisher, frames in
            publisher.failNext(FrameRefusal(at: 1))
            await sender.connected()
            #expect(await publisher.next() == [0, 1, 2, 3])
            #expect(await publisher.next() == [2, 3])
            #expect(await sender.refusals == 1)
            await sender.connected()
            #expect(await publisher.next() == [0, 1, 2, 3])
        }
    }

    @Test func `Keeps a refused frame where accepted ones are not kept`() async throws {
        try await sending(2, .untilAccepted) { sender, publisher, frames in
            publisher.failNext(FrameRefusal(at: 1))
            await sender.connected()
            #expect(await publisher.next() == [0, 1])
            try await eventually("the refusal is counted") { await sender.refusals == 1 }
            try await eventually("what was accepted is not kept") { await sender.outbox.count == 1 }
            await sender.connected()
            #expect(await publisher.next() == [1])
        }
    }
}

/// A publisher that waits until its task is cancelled.
private final class WaitingPublisher: FramePublisher {
    private let calls = Mutex(0)
    var count: Int { calls.withLock { $0 } }

    func publish(_ frames: [Frame]) async throws {
        calls.withLock { $0 += 1 }
        let (never, _) = AsyncStream.makeStream(of: Void.self)
        for await _ in never {}
        try Task.checkCancellation()
    }
}

/// Records what is published, and fails on request.
private final class ScriptedPublisher: FramePublisher {
    private let groups: AsyncStream<[UInt64]>
    private let record: AsyncStream<[UInt64]>.Continuation
    private let state = Mutex<(published: [UInt64], error: (any Error)?)>(([], nil))

    init() { (groups, record) = AsyncStream.makeStream(of: [UInt64].self) }

    var published: [UInt64] { state.withLock { $0.published } }

    func failNext(_ error: any Error = ConnectionLost()) { state.withLock { $0.error = error } }

    func next() async -> [UInt64]? { await groups.first { _ in true } }

    func publish(_ frames: [Frame]) async throws {
        let error = state.withLock { state in
            defer { state.error = nil }
            state.published += frames.map(\.sequence)
            return state.error
        }
        record.yield(frames.map(\.sequence))
        if let error { throw error }
    }

    private struct ConnectionLost: Error {}
}
