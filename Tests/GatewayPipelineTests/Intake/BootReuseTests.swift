import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("An app that begins again under the boot id it had")
struct BootReuseTests {
    /// A frame of depth at `at` seconds since the start.
    private func frame(
        _ depth: Double, seq: Int, uptime: Double, at: Double, sent: Bool = true, boot: String = "fixed"
    ) -> RecordedMessage {
        let sent = sent ? #""sent":\#(RunScenario.start + at),"# : ""
        return mapped(
            "wearables/d1/in/submersion",
            #"{"schema":"wearables/1","boot":"\#(boot)","seq":\#(seq),"uptime":\#(uptime),\#(sent)"#
                + #""measurements":[{"timestamp":\#(uptime),"depth":{"value":\#(depth),"unit":"m"}}]}"#,
            at: RunScenario.start + at)
    }

    /// So many frames, one a second from `at` on; the first has the `seq` 0 and `uptime`.
    private func frames(
        _ count: Int, _ depth: Double, uptime: Double, at start: Double, sent: Bool = true
    ) -> [RecordedMessage] {
        (0..<count).map { (index: Int) -> RecordedMessage in
            let time = Double(index)
            return frame(depth, seq: index, uptime: uptime + time, at: start + time, sent: sent)
        }
    }

    private func play(_ frames: [RecordedMessage], on harness: inout PipelineHarness) -> [DerivedJSON] {
        frames.flatMap { harness.send($0) + harness.tick(at: $0.at + 0.25) }
    }

    @Test(
        "Its depths count again after five seconds, none is lost, and one report says what to change",
        arguments: [(1_100.0, true), (1_100, false), (3, true)], [40, 3])
    func reused(_ clock: (uptime: Double, sendsWallClock: Bool), before count: Int) throws {
        var harness = try RunScenario.harness()
        let before = play(frames(count, 3, uptime: 1_000, at: 0, sent: clock.sendsWallClock), on: &harness)
        #expect(before.runs == [1])
        let after = play(frames(20, 6, uptime: clock.uptime, at: 100, sent: clock.sendsWallClock), on: &harness)
        #expect(after.reports == ["bootReused"])
        #expect(after.depths.filter { $0.text("state") != "unknown" }.runs == [2] && after.lastDepth == "submergedDeep")
        #expect(Set(after.depths.filter { $0.number("depth") == 6 }.compactMap { $0.number("deviceTime") }).count == 20)
        #expect(after.contains { $0.kind == "connection/device" && $0.text("cause") == "bootReused" })
        #expect(!after.contains { $0.kind == "gap" })
        let counters = harness.pipeline.counters
        #expect(counters.repeated == 0 && counters.late == 0 && counters.outcomes == counters.received)
        let ids = (before + after).ids
        #expect(Set(ids).count == ids.count)
    }

    @Test("Where seq and uptime begin again without sent it may be a resend: it is reported, and no run begins")
    func undecided() throws {
        var harness = try RunScenario.harness()
        _ = play(frames(40, 3, uptime: 0, at: 0, sent: false), on: &harness)
        let after = play(frames(30, 6, uptime: 0, at: 50, sent: false), on: &harness)
        #expect(after.reports == ["bootReused"])
        #expect(after.runs.isSubset(of: [1]))
        #expect(after.lastDepth == "unknown")
        #expect(harness.pipeline.counters.repeated == 30)
    }

    @Test("Frames that are sent again, slowly or at once, beside newer ones or not, begin no run", arguments: [0.01, 1, 3])
    func resend(_ interval: Double) throws {
        var harness = try RunScenario.harness()
        let old = frames(30, 3, uptime: 1_000, at: 0)
        _ = play(old, on: &harness)
        var again = old
        for index in again.indices { again[index].at = RunScenario.start + 31 + interval * Double(index) }
        let live = (0..<40).map { (index: Int) -> RecordedMessage in
            frame(4, seq: 30 + index, uptime: Double(1_130 + index), at: Double(130 + index))
        }
        let messages = play(again, on: &harness) + play(live, on: &harness)
        #expect(messages.reports.isEmpty && messages.runs == [1])
        #expect(harness.pipeline.counters.repeated == 30)
        #expect(messages.lastDepth == "submergedDeep")
    }

    @Test("Frames of the run before that come late are late, and open no gap")
    func lateOfRunBefore() throws {
        var harness = try RunScenario.harness()
        var old = frames(60, 3, uptime: 1_000, at: 0)
        var late = Array(old[50...])
        old.removeSubrange(50...)
        _ = play(old + [frame(3, seq: 60, uptime: 1_060, at: 60)], on: &harness)
        _ = harness.tick(at: RunScenario.start + 70)
        _ = play(frames(20, 6, uptime: 5, at: 100), on: &harness)
        for index in late.indices { late[index].at = RunScenario.start + 120 + Double(index) / 10 }
        let messages = play(late, on: &harness)
        #expect(!messages.contains { $0.kind == "gap" })
        #expect(messages.depths.isEmpty)
        #expect(harness.pipeline.counters.late == 10)
        let next = play([frame(6.5, seq: 20, uptime: 25, at: 122)], on: &harness)
        #expect(next.depths.last?.number("depth") == 6.5 && !next.contains { $0.kind == "gap" })
    }

    @Test("A stream of which only a retained frame came begins its seq again too")
    func retained() throws {
        var harness = try RunScenario.harness()
        func status(seq: Int, uptime: Double, at: Double, retain: Bool) -> RecordedMessage {
            mapped(
                "wearables/d1/in/status",
                #"{"schema":"wearables/1","boot":"fixed","seq":\#(seq),"uptime":\#(uptime),"sent":\#(RunScenario.start + at),"#
                    + #""state":"online"}"#, at: RunScenario.start + at, retain: retain)
        }
        let before = [status(seq: 30, uptime: 999, at: 0, retain: true)] + frames(40, 3, uptime: 1_000, at: 1)
        _ = play(before, on: &harness)
        _ = play(frames(20, 6, uptime: 1_100, at: 100), on: &harness)
        let repeated = harness.pipeline.counters.repeated
        _ = play([status(seq: 0, uptime: 1_121, at: 121, retain: false)], on: &harness)
        #expect(harness.pipeline.counters.repeated == repeated)
    }

    @Test(
        "Uptime in milliseconds is refused after ten seconds by sent, and reported without; a backlog that is sent fast is none",
        .slow)
    func milliseconds() throws {
        var harness = try RunScenario.harness()
        func wrong(sent: Bool) -> [RecordedMessage] {
            (0..<80).map { (index: Int) -> RecordedMessage in
                frame(3, seq: index, uptime: Double(1_000_000 + 1_000 * index), at: Double(index), sent: sent)
            }
        }
        let refused = play(wrong(sent: true), on: &harness)
        #expect(harness.pipeline.counters.rejected[.timeOutOfRange] == 70)
        #expect(refused.contains { ($0.text("detail") ?? "").contains("are these milliseconds?") })
        #expect(refused.filter { $0.kind == "connection/device" }.count < 25)
        #expect(refused.lastDepth == "unknown")

        var silent = try RunScenario.harness()
        let unsure = play(wrong(sent: false), on: &silent)
        #expect(unsure.reports.filter { $0 == "timeOutOfRange" }.count == 2, "once a minute")
        #expect(silent.pipeline.counters.rejected.isEmpty)

        var stored = try RunScenario.harness()
        let backlog = (0..<4_000).map { (index: Int) -> RecordedMessage in
            var frame = frame(0, seq: index, uptime: 1_000 + 5 * Double(index), at: 5 * Double(index))
            frame.at = RunScenario.start + 20_000 + Double(index) / 200
            return frame
        }
        #expect(play(backlog, on: &stored).reports.isEmpty)
        #expect(stored.pipeline.counters.rejected.isEmpty)
    }
}
