import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@testable import GatewayPipeline

/// A history of a day and a half is derived in slices, between which a lane does other things. What comes out does not depend on where they
/// end, nor on what happens between them.
@Suite("A report of a history in slices", .slow)
struct HistorySliceTests {
    /// The minutes that commits have written: what a gateway finds after a restart.
    private final class StoredMinutes: HistoryReader {
        private var rows: [Int: HistoryRow] = [:]

        func write(_ change: StateChange) { for row in change.history { rows[row.minute] = row } }

        func readHistory(of device: DeviceID, in minutes: Range<Int>, _ body: (HistoryMinute) throws -> Void) throws {
            for minute in rows.keys.filter(minutes.contains).sorted() { if let row = rows[minute] { try body(row.samples()) } }
        }
    }

    /// A device whose frames are stored, and whose burst is over at `due`.
    private struct Gateway {
        let stored = StoredMinutes()
        let id: DeviceID
        let due: Double
        var harness: PipelineHarness
        var now: GatewayTime { GatewayTime(unix: UnixTime(due), monotonic: due) }

        init(
            _ night: SimulatedNight, policy: AccessPolicy = PipelineHarness.policy("watch-1", HistoryPipelineTests.policy)
        ) throws {
            id = try #require(DeviceID("watch-1"))
            var device = HistoryDevice(start: HistorySliceTests.evening - 1_000)
            let sent = night.end + 1_900
            due = sent + 500
            harness = PipelineHarness(policy: policy, history: stored)
            _ = harness.send(device.frames(night.samples, sent: sent))
            try commit()
        }

        mutating func commit() throws {
            for change in try harness.pipeline.takeChanges() {
                stored.write(change)
                harness.pipeline.noteHistoryWritten([change])
            }
        }

        /// A message as the pipeline takes it.
        mutating func admitted(_ frame: RecordedMessage) throws -> KnownMessage {
            var rejected: [OutboundMessage] = []
            return try #require(harness.admission.admit(frame.message, at: now, into: &rejected).first)
        }

        /// The process is killed after a commit, and started again.
        mutating func restart() throws {
            try commit()
            harness = try harness.restarted(at: due, of: id, keepsWaiting: false, history: stored)
        }

        /// Goes on with what is due, `steps` at a time, and calls `between` after each slice.
        mutating func derive(steps: Int, between: (inout Gateway, Int) throws -> Void = { _, _ in }) rethrows -> [DerivedJSON] {
            var (messages, slices): ([DerivedJSON], Int) = ([], 0)
            repeat {
                messages += harness.tick(at: due, steps: steps)
                slices += 1
                guard harness.pipeline.leavesReport, slices < 100_000 else { break }
                try between(&self, slices)
            } while true
            return messages
        }
    }

    /// 2025-11-21 20:00 UTC.
    private static let evening = 1_763_755_200.0
    /// Somebody in bed for 34 of 35.5 hours.
    private static let long = SimulatedNight(from: evening, hours: 34)
    /// A night that ends on the next day.
    private static let short = SimulatedNight(from: evening, hours: 4)

    /// The samples of a minute.
    private static func minute(before end: Double) -> [HistoryDevice.Sample] {
        (0..<120).map { .init(end - 60 + 0.5 * Double($0), 0, 0, -1) }
    }

    private func isOfHistory(_ message: DerivedJSON) -> Bool { ["day", "wear", "sleep", "gap"].contains(message.kind) }

    private func derived(_ messages: [DerivedJSON]) -> [String] { messages.filter(isOfHistory).map(\.lasting) }

    @Test("36 h in slices of a minute, of seven, and at once give the same messages in the same order")
    func sizes() throws {
        var whole = try Gateway(Self.long)
        let expected = try derived(whole.derive(steps: .max))
        #expect(expected.count >= 6)
        for (steps, fewest) in [(1, 2_130), (7, 300)] {
            var sliced = try Gateway(Self.long)
            var slices = 0
            let messages = try sliced.derive(steps: steps) { gateway, slice in
                slices = slice
                if slice.isMultiple(of: 100) { try gateway.commit() }
            }
            #expect(derived(messages) == expected)
            #expect(slices >= fewest)
        }
    }

    @Test("A kill after any slice gives the same messages: the report begins anew", arguments: [1, 7])
    func kills(steps: Int) throws {
        var whole = try Gateway(Self.short)
        let expected = try derived(whole.derive(steps: .max))
        #expect(expected.contains { $0.contains("/out/sleep ") })
        var slices = 0
        var counted = try Gateway(Self.short)
        _ = counted.derive(steps: steps) { _, slice in slices = slice }
        // After some in the middle, and after each of the last ones, in which messages are published.
        let cuts = Array(stride(from: 1, to: slices, by: slices / 8)) + Array(max(1, slices - 6)...slices)
        for cut in cuts {
            var killed = try Gateway(Self.short)
            let messages = try killed.derive(steps: steps) { gateway, slice in if slice == cut { try gateway.restart() } }
            #expect(derived(messages) == expected, "killed after slice \(cut)")
        }
    }

    @Test("A kill after each of many slices publishes nothing twice")
    func repeatedKills() throws {
        var whole = try Gateway(Self.short)
        let expected = try derived(whole.derive(steps: .max))
        var killed = try Gateway(Self.short)
        var reached = 0
        let messages = try killed.derive(steps: 1) { gateway, _ in
            reached += 1
            // Each run goes a little further than the one before.
            if reached.isMultiple(of: 40), reached < 900 { try gateway.restart() }
        }
        #expect(derived(messages) == expected)
    }

    @Test("A frame that comes during a report waits; it is in the next report, whatever the slices")
    func frameBetween() throws {
        func messages(steps: Int) throws -> (first: [String], second: [String]) {
            var gateway = try Gateway(Self.short)
            var late = HistoryDevice(boot: "b2", start: Self.evening - 1_000)
            let frame = late.frames(Self.minute(before: Self.evening), sent: gateway.due)[0]
            let (now, known) = (gateway.now, try gateway.admitted(frame))
            #expect(gateway.harness.pipeline.awaitsReport(known, at: now))
            let first = gateway.derive(steps: steps) { gateway, _ in
                #expect(gateway.harness.pipeline.awaitsReport(known, at: now))
            }
            #expect(!gateway.harness.pipeline.awaitsReport(known, at: now))
            return (derived(first), derived(gateway.harness.send(frame) + gateway.harness.tick(at: gateway.due + 1_000)))
        }
        let whole = try messages(steps: .max)
        #expect(!whole.second.isEmpty)
        let sliced = try messages(steps: 5)
        #expect(sliced.first == whole.first)
        #expect(sliced.second == whole.second)
    }

    @Test("A pipeline that processes the frame at once derives all that is due before it")
    func frameAtOnce() throws {
        var whole = try Gateway(Self.short)
        let expected = try derived(whole.derive(steps: .max))
        var gateway = try Gateway(Self.short)
        var late = HistoryDevice(boot: "b2", start: Self.evening - 1_000)
        var frame = late.frames(Self.minute(before: Self.evening), sent: gateway.due)[0]
        frame.at = gateway.due
        let begun = gateway.harness.tick(at: gateway.due, steps: 50)
        #expect(derived(begun).isEmpty)
        let known = try gateway.admitted(frame)
        #expect(derived(gateway.harness.pipeline.process(known, at: gateway.now).map(DerivedJSON.init)) == expected)
    }

    @Test("A frame of another device is processed at once, and the report goes on where it was")
    func otherDevice() throws {
        var gateway = try Gateway(Self.short, policy: AccessPolicy(unknown: .everything))
        let count = try slices(of: Gateway(Self.short, policy: AccessPolicy(unknown: .everything)))
        var other = HistoryDevice("watch-2", start: Self.evening - 1_000)
        var slices = 0
        _ = try gateway.derive(steps: 5) { gateway, slice in
            slices = slice
            _ = try #require(gateway.harness.pipeline.context.reportingSlot)
            var frame = other.frame([.init(Self.evening + Double(slice), 0, 0, -1)], sent: gateway.due)
            frame.at = gateway.due
            _ = gateway.harness.pipeline.process(try gateway.admitted(frame), at: gateway.now)
        }
        #expect(slices == count)
    }

    private func slices(of gateway: Gateway) throws -> Int {
        var (gateway, slices) = (gateway, 0)
        _ = gateway.derive(steps: 5) { _, slice in slices = slice }
        return slices
    }

    @Test("A report that is put off publishes nothing until the burst is over, and then everything")
    func putOff() throws {
        var whole = try Gateway(Self.short)
        let expected = Set(derived(try whole.derive(steps: .max)))
        var gateway = try Gateway(Self.short)
        #expect(derived(gateway.harness.tick(at: gateway.due, steps: 50)).isEmpty)
        gateway.harness.pipeline.putOffReport(of: gateway.id, at: gateway.now)
        #expect(derived(gateway.harness.tick(at: gateway.due + 50)).isEmpty)
        #expect(Set(derived(gateway.harness.tick(at: gateway.due + 1_000))) == expected)
    }

    @Test("Consent that is given or withdrawn during a report counts for all of it")
    func policyBetween() throws {
        for (before, after) in [
            (HistoryPipelineTests.policy, DevicePolicy.everything), (.everything, HistoryPipelineTests.policy),
        ] {
            var gateway = try Gateway(Self.short)
            _ = gateway.harness.replace(policy: PipelineHarness.policy("watch-1", before))
            let messages = gateway.derive(steps: 50) { gateway, slice in
                if slice == 2 { _ = gateway.harness.replace(policy: PipelineHarness.policy("watch-1", after)) }
            }
            #expect(messages.contains { $0.kind == "sleep" } == (after == HistoryPipelineTests.policy))
            #expect(messages.filter { $0.kind == "day" }.count == 2)
        }
    }

    @Test("A history that is erased during its report is not derived")
    func erasedBetween() throws {
        var gateway = try Gateway(Self.short)
        let messages = gateway.derive(steps: 50) { gateway, slice in
            if slice == 2 { _ = gateway.harness.pipeline.erase(gateway.id, at: gateway.now) }
        }
        #expect(derived(messages).isEmpty)
    }
}
