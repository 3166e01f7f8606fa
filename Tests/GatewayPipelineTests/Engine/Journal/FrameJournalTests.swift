import GatewayRuntime
import GatewayTestSupport
import StateCoding
import TelemetryModel
import Testing

@testable import GatewayPipeline

@Suite("Rows of the journal")
struct FrameJournalTests {
    private var journal = FrameJournal()

    private func entry(of device: DeviceID, bytes: Int = 1) -> JournalEntry {
        JournalEntry(
            device: device, message: InboundMessage(topic: "t", payload: Array(repeating: 0, count: bytes)),
            received: GatewayTime(unix: UnixTime(1), monotonic: 1), firesTimers: true, resumedAt: nil, rules: 0)
    }

    /// A device whose state was written, in the journal since the present checkpoint.
    private mutating func opened(_ name: String) throws -> DeviceSlot {
        let device = try #require(DeviceID(name))
        let slot = DeviceSlot(device, policy: .everything, at: 0)
        slot.journal.noteState(bytes: 1_000)
        slot.journal.note(entry(of: device))
        _ = slot.journal.take(into: journal.number)
        journal.noteOpened(slot)
        return slot
    }

    private mutating func addRow(of count: Int, bytes: Int = 10) {
        journal.note(JournalRow(number: journal.number, bytes: Array(repeating: 0, count: bytes)), of: count)
    }

    @Test("a row is needed until the state of the devices that begin with it is written")
    mutating func order() throws {
        journal.number = 1
        let first = try opened("d1")
        addRow(of: 1)
        journal.number = 2
        let second = try opened("d2")
        addRow(of: 1)
        #expect(journal.next(all: false) == nil)
        #expect(journal.firstRow == 1)
        second.journal.noteState(bytes: 1_000)
        #expect(journal.next(all: false) == nil)
        #expect(journal.firstRow == 1)
        first.journal.noteState(bytes: 1_000)
        #expect(journal.next(all: false) == nil)
        #expect(journal.firstRow == 3)
    }

    @Test(
        "beyond the limits the devices that have been there longest are written",
        arguments: [(40_000, 10), (1, 17 * 1_024 * 1_024)])
    mutating func limits(count: Int, bytes: Int) throws {
        journal.number = 1
        let first = try opened("d1")
        addRow(of: count, bytes: bytes)
        journal.number = 2
        let second = try opened("d2")
        addRow(of: 1)
        #expect(journal.next(all: false) === first)
        first.journal.noteState(bytes: 1_000)
        #expect(journal.next(all: false) == nil)
        #expect(journal.firstRow == 2)
        #expect(journal.next(all: true) === second)
    }

    @Test("messages are taken where nothing else changed the state, and they are much smaller than it")
    mutating func messages() throws {
        let device = try #require(DeviceID("d1"))
        var journal = DeviceJournal(of: device)
        journal.note(entry(of: device))
        #expect(journal.take(into: 1) == nil, "nothing is stored yet")
        journal.noteState(bytes: 100)
        journal.note(entry(of: device, bytes: 50))
        #expect(journal.take(into: 2)?.count == 1)
        #expect(journal.firstRow == 2)
        journal.note(entry(of: device, bytes: 51))
        #expect(journal.take(into: 3) == nil)
        journal.noteState(bytes: 100)
        journal.note(entry(of: device))
        journal.note(nil)
        #expect(journal.take(into: 4) == nil, "a timer changed it")
    }

    @Test("the states of devices that begin together are written by different checkpoints, and later each after 64 messages")
    func spread() throws {
        var counts: [Int: Int] = [:]
        for number in 1...200 {
            let device = try #require(DeviceID("d\(number)"))
            var journal = DeviceJournal(of: device)
            func journaled() -> Int {
                journal.noteState(bytes: 1_000)
                var count = -1
                repeat {
                    count += 1
                    journal.note(entry(of: device))
                } while journal.take(into: 1) != nil
                return count
            }
            counts[journaled(), default: 0] += 1
            #expect(journaled() == 64)
        }
        #expect(Set(counts.keys).isSubset(of: 1...64))
        let most = try #require(counts.values.max())
        #expect(most < 20)
    }

    @Test("a row is read as it was written, and moved with the monotonic clock")
    func row() throws {
        let device = try #require(DeviceID("d1"))
        let written = JournalEntry(
            device: device, message: InboundMessage(topic: "a/b", payload: [1, 2, 255], retain: true, contentType: "text/plain"),
            received: GatewayTime(unix: UnixTime(1_763_749_000.25), monotonic: 12.5), firesTimers: false,
            resumedAt: GatewayTime(unix: UnixTime(3), monotonic: 4), rules: .max)
        let row = try JournalRow(number: 7, [written, entry(of: device)], by: StateEncoder())
        #expect(try row.entries() == [written, entry(of: device)])
        let moved = try row.shifted(by: -2).entries()
        #expect(moved.map(\.received.monotonic) == [10.5, -1])
        #expect(moved[0].resumedAt?.monotonic == 2)
        #expect(throws: (any Error).self) { try JournalRow(number: 7, bytes: Array(row.bytes.dropLast())).entries() }
    }

    @Test("equal settings have one fingerprint, others have another, whatever the order of sets")
    func fingerprint() {
        var policy = DevicePolicy.everything
        policy.streams = Set(StreamName.allCases)
        let same = Fingerprint(of: policy).value
        for _ in 0..<20 {
            policy.streams = Set(StreamName.allCases.shuffled())
            #expect(Fingerprint(of: policy).value == same)
        }
        policy.wrist = .left
        #expect(Fingerprint(of: policy).value != same)
        var settings = DeriveSettings()
        let before = Fingerprint(of: settings).value
        settings[SubmersionDerivation.self].refreshSeconds = 17
        #expect(Fingerprint(of: settings).value != before)
        #expect(Fingerprint(of: DeriveSettings()).value == before)
    }

    @Test("A frame that was accepted by a clock that had been set forward is accepted when the journal is read")
    func clockLead() throws {
        let settings = PipelineSettings.with { $0.maximumAgeSeconds = 60 }
        var device = TestDevice()
        var harness = PipelineHarness(settings: settings)
        _ = harness.send(device.depth(20, uptime: 100))
        harness.pipeline.beginJournal(after: 0)
        _ = try harness.pipeline.takeChanges()
        harness.pipeline.noteWritten()
        let id = try #require(DeviceID("d1"))
        var state = try #require(harness.pipeline.state(of: id))
        harness.pipeline.clockLead = 3_600
        var late = device.depth(20.5, uptime: 101)
        late.at += 3_600
        #expect(!harness.send(late).contains { $0.kind == "rejected" })
        _ = try harness.pipeline.takeChanges()
        let taken = harness.pipeline.takeJournalRow()
        let row = try #require(taken)
        var replay = JournalReplay(settings: settings, policy: AccessPolicy(unknown: .everything), share: .whole)
        _ = try replay.advance(&state, of: id, by: row.entries())
        #expect(state.boot == harness.pipeline.state(of: id)?.boot)
    }
}
