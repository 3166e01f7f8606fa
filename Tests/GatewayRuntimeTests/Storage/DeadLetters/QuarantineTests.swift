import Foundation
import GatewayConfiguration
import GatewayPipeline
import GatewayTestSupport
import LocalBroker
import TelemetryModel
import Testing

@testable import GatewayRuntime

@Suite("The quarantine")
struct QuarantineTests {
    private let directory: TemporaryDirectory
    private let folder: DeadLetterFolder
    private let poison = InboundMessage(topic: "wearables/d1/in/submersion", payload: [0x7B, 0xFF, 0x0A, 0x00], retain: false)
    private let harmless = InboundMessage(topic: "wearables/d1/in/submersion", payload: [0x7B], retain: false)

    init() throws {
        directory = try TemporaryDirectory()
        folder = DeadLetterFolder(stateDirectory: directory.url.path)
    }

    /// The quarantine of a process before which `crashes` frames ended one.
    private func start(after crashes: InboundMessage...) throws -> Quarantine {
        try Quarantine(
            lane: "safety",
            store: CheckpointStore(path: directory.path("safety.sqlite"), machine: "m", at: .at(0), report: { _ in }),
            folder: folder, crashes: crashes.map { ($0.topic, $0.payload) }, logger: DurableLane.logger)
    }

    /// A quarantine after the frame ended the process three times.
    private func startAfterThree() throws -> Quarantine {
        _ = try start(after: poison)
        _ = try start(after: poison)
        return try start(after: poison)
    }

    @Test("a frame is processed three times, then set aside unchanged; the others are processed")
    func thirdCrash() throws {
        #expect(try start().withhold(from: [poison, harmless], at: .at(1_000)) == [poison, harmless])
        for _ in 1...2 {
            #expect(try start(after: poison).withhold(from: [poison, harmless], at: .at(1_000)) == [poison, harmless])
        }
        #expect(try folder.names() == [])
        #expect(try start(after: poison).withhold(from: [poison, harmless], at: .at(1_000.5)) == [harmless])
        let names = try folder.names()
        #expect(names.count == 1)
        #expect(try folder.read(names[0]) == RecordedMessage(at: 1_000.5, message: poison))
    }

    @Test("a frame that is set aside has an outcome: what was received is the sum of the outcomes")
    func outcome() throws {
        let settings = PipelineHarness.settings
        let lane = Lane(
            plan: .everything, settings: settings, policy: DurableLane.everybody,
            admission: Admission(policy: DurableLane.everybody), egress: CollectedMessages(),
            storage: LaneStorage(
                store: try CheckpointStore(path: directory.path("lane.sqlite"), machine: "m", at: .at(0), report: { _ in }),
                tracer: try FrameTracer(path: directory.path("mark"), payloadBytes: 1_000), quarantine: try startAfterThree()))
        try lane.process([poison, harmless], at: .at(1_000))
        #expect(lane.snapshot.counters.setAside == 1)
        #expect(lane.snapshot.counters.received == 2)
        #expect(lane.snapshot.counters.outcomes == 2)
    }

    @Test("an erased device leaves nothing in the mark, behind shorter frames of others either")
    func erasedMark() throws {
        let tracer = try FrameTracer(path: directory.path("mark"), payloadBytes: 1_000)
        let secret = Array("watch-1 was here".utf8)
        tracer.trace(InboundMessage(topic: "wearables/watch-1/in/status", payload: secret)) {}
        tracer.trace(harmless) {}
        func contains() throws -> Bool {
            try Data(contentsOf: directory.url.appendingPathComponent("mark")).range(of: Data("was here".utf8)) != nil
        }
        #expect(try contains())
        tracer.clear()
        #expect(try !contains())
    }

    @Test("an erased device leaves nothing behind the room of a start with shorter messages")
    func erasedLongMark() throws {
        let path = directory.path("mark")
        func contains() throws -> Bool {
            try Data(contentsOf: directory.url.appendingPathComponent("mark")).range(of: Data("was here".utf8)) != nil
        }
        let payload = [UInt8](repeating: 0x20, count: 200_000) + Array("watch-1 was here".utf8)
        do {
            let tracer = try FrameTracer(path: path, payloadBytes: 1 << 18)
            tracer.trace(InboundMessage(topic: "wearables/watch-1/in/status", payload: payload)) {}
        }
        #expect(try contains())
        let tracer = try FrameTracer(path: path, payloadBytes: 1_000)
        tracer.clear()
        #expect(try !contains())
    }

    @Test("the same payload on another topic is another frame")
    func otherTopic() throws {
        let other = InboundMessage(topic: "wearables/d2/in/submersion", payload: poison.payload, retain: false)
        #expect(try startAfterThree().withhold(from: [other], at: .at(1_000)) == [other])
    }

    @Test("a frame that was processed is no candidate any more: its crashes do not add up over time")
    func absolution() throws {
        _ = try start(after: poison)
        let second = try start(after: poison)
        #expect(try second.withhold(from: [poison], at: .at(1_000)) == [poison])
        try second.remove(second.takeHandled())
        #expect(try start(after: poison).withhold(from: [poison], at: .at(1_001)) == [poison])
        #expect(try folder.names() == [])
    }

    @Test("a frame that was not delivered since stays a candidate")
    func noAbsolution() throws {
        _ = try start(after: poison)
        let second = try start(after: poison)
        #expect(try second.withhold(from: [harmless], at: .at(1_000)) == [harmless])
        try second.remove(second.takeHandled())
        #expect(try start(after: poison).withhold(from: [poison], at: .at(1_001)) == [])
    }

    @Test("a frame that is delivered again because nothing could be acknowledged is set aside once")
    func setAsideOnce() throws {
        let quarantine = try startAfterThree()
        #expect(try quarantine.withhold(from: [poison], at: .at(1_000)) == [])
        #expect(try quarantine.withhold(from: [poison, poison], at: .at(1_001)) == [])
        #expect(try folder.names().count == 1)
    }

    @Test("a frame that is set aside again after every restart has one file")
    func setAsideOnceOverRestarts() throws {
        #expect(try startAfterThree().withhold(from: [poison], at: .at(1_000)) == [])
        for restart in 1...20 {
            let next = InboundMessage(topic: poison.topic, payload: [UInt8(restart)], retain: false)
            // Another frame ends the process before the commit.
            #expect(try start(after: next).withhold(from: [poison], at: .at(1_000 + Double(restart))) == [])
        }
        #expect(try folder.names().count == 1)
    }

    @Test("once that is committed, the frame may be replayed: it is processed again")
    func replayed() throws {
        let quarantine = try startAfterThree()
        #expect(try quarantine.withhold(from: [poison], at: .at(1_000)) == [])
        try quarantine.remove(quarantine.takeHandled())
        #expect(try quarantine.withhold(from: [poison], at: .at(1_001)) == [poison])
        #expect(try start().withhold(from: [poison], at: .at(1_002)) == [poison])
    }

    @Test("a frame that cannot be written to the folder is not skipped: the batch is released")
    func unwritable() throws {
        try directory.write("", to: "deadletters")
        let quarantine = try startAfterThree()
        #expect(throws: GatewayError.self) { try quarantine.withhold(from: [poison], at: .at(1_000)) }
    }
}

extension Quarantine {
    /// The batch without the frames that are set aside.
    fileprivate func withhold(from batch: [InboundMessage], at now: GatewayTime) throws -> [InboundMessage] {
        try batch.filter { try !withholds($0, at: now) }
    }
}
