import Foundation
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@testable import GatewayPipeline

@Suite("Recorded history in the pipeline")
struct HistoryPipelineTests {
    /// 2025-11-21 20:00 UTC.
    let evening = 1_763_755_200.0
    static let policy = DevicePolicy.with { $0.consents = [.sleep] }

    func harness(_ policy: DevicePolicy = policy) -> PipelineHarness {
        PipelineHarness(policy: PipelineHarness.policy("watch-1", policy))
    }

    func kinds(_ messages: [DerivedJSON], _ kind: String) -> [DerivedJSON] { messages.filter { $0.kind == kind } }

    /// The fields of messages without the time at which they were received.
    private func identities(_ messages: [DerivedJSON]) -> [String] {
        messages.filter { ["day", "wear", "sleep", "gap"].contains($0.kind) }.map { message in
            "\(message.kind) \(message.text("id") ?? "") \(message.number("at") ?? 0) \(message.number("revision") ?? -1) "
                + "\(message.text("state") ?? "") \(message.number("sleepDuration") ?? -1) \(message.number("start") ?? -1)"
        }
    }

    /// A night sent in the morning, in one burst.
    func morning(_ night: SimulatedNight) -> (frames: [RecordedMessage], sent: Double) {
        var device = HistoryDevice(start: evening - 1_000)
        let sent = night.end + 2_000
        return (device.frames(night.samples, sent: sent), sent)
    }

    /// A pipeline that has published the sleep of a short night, and when its frames were sent.
    private func afterNight() -> (harness: PipelineHarness, sent: Double) {
        let (frames, sent) = morning(SimulatedNight(from: evening, hours: 3))
        var harness = harness()
        _ = harness.send(frames)
        #expect(kinds(harness.tick(at: sent + 200), "sleep").count == 1)
        return (harness, sent)
    }

    @Test("A simulated night gives its sleep, its days and one change of wear", .slow)
    func night() throws {
        let night = SimulatedNight(from: evening)
        let (frames, sent) = morning(night)
        var harness = harness()
        let early = identities(harness.send(frames))
        #expect(early.isEmpty, "nothing is derived before the burst is over")
        let messages = harness.tick(at: sent + 200)
        let sleep = try #require(kinds(messages, "sleep").first)
        #expect(kinds(messages, "sleep").count == 1)
        #expect(abs((sleep.number("start") ?? 0) - night.onset) < 600)
        #expect(abs((sleep.number("end") ?? 0) - night.end) < 600)
        #expect(sleep.number("awakenings") == 2)
        #expect(abs((sleep.number("wakeAfterOnset") ?? 0) - 1_440) < 600)
        #expect(sleep.number("nonWear") == 0)
        #expect(sleep.number("deviceTime") == nil)
        #expect(sleep.text("method") == "zAngle")
        let days = kinds(messages, "day")
        #expect(days.map { $0.text("date") } == ["2025-11-21", "2025-11-22"])
        // 4 of 24 hours are in the first day.
        #expect(abs((days.first?.number("coverage") ?? 0) - 4.0 / 24) < 0.001)
        #expect((days.last?.number("worn") ?? 0) > 4 * 3_600)
        #expect(kinds(messages, "wear").map { $0.text("state") } == ["worn"])
        let late2 = identities(harness.tick(at: sent + 4_000))
        #expect(late2.isEmpty, "nothing has changed")
    }

    @Test("Frames shuffled, and sent twice, give the same messages", .slow)
    func shuffled() {
        let night = SimulatedNight(from: evening, hours: 3)
        let (frames, sent) = morning(night)
        var inOrder = harness()
        _ = inOrder.send(frames)
        let expected = identities(inOrder.tick(at: sent + 300))
        #expect(expected.count >= 4)
        for seed in 0..<3 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var shuffled = (frames + frames).shuffled(using: &random)
            for index in shuffled.indices { shuffled[index].at = sent + Double(index) * 0.05 }
            var harness = harness()
            _ = harness.send(shuffled)
            let found = identities(harness.tick(at: sent + 300))
            #expect(found == expected)
        }
    }

    @Test("Without consent no sleep is published", .slow)
    func consent() {
        let (frames, sent) = morning(SimulatedNight(from: evening, hours: 3))
        var harness = harness(.everything)
        _ = harness.send(frames)
        let messages = harness.tick(at: sent + 200)
        #expect(kinds(messages, "sleep").isEmpty)
        #expect(kinds(messages, "day").count == 2)
    }

    @Test("When consent is withdrawn, nights are erased with the next checkpoint, and those not written yet are not", .slow)
    func withdrawn() throws {
        var (harness, sent) = afterNight()
        let id = try #require(DeviceID("watch-1"))
        #expect(harness.pipeline.state(of: id)?.latest[kind: "sleep"] != nil)
        _ = harness.replace(policy: PipelineHarness.policy("watch-1", .everything))
        let change = try #require(try harness.pipeline.takeChanges().first { $0.device == id })
        #expect(change.erasedKinds == ["sleep"])
        #expect(!change.erasesHistory)
        let state = try #require(harness.pipeline.state(of: id))
        #expect(state.latest[kind: "sleep"] == nil && state.latest[kind: "gap"] == nil)
        #expect(state.boot.derivations[SleepDerivation.self] == nil && state.boot.derivations[DayDerivation.self] != nil)
        // A checkpoint that could not be written is made again, with the erasure.
        harness.pipeline.putBack([change])
        #expect(try harness.pipeline.takeChanges().first { $0.device == id }?.erasedKinds == ["sleep"])
        // The night is derived again when there is consent again.
        _ = harness.replace(policy: PipelineHarness.policy("watch-1", Self.policy))
        var late = HistoryDevice(boot: "b2", start: evening - 1_000)
        let more = late.frames([HistoryDevice.Sample(evening - 60, 0, 0, -1)], sent: sent + 300)
        _ = harness.send(more)
        #expect(kinds(harness.tick(at: sent + 1_200), "sleep").count == 1)
    }

    @Test("A night whose samples were discarded for room stays as it was published", .slow)
    func discardedNight() throws {
        var (harness, sent) = afterNight()
        harness.pipeline.context.history.erase(try #require(DeviceID("watch-1")))
        var late = HistoryDevice(boot: "b2", start: evening - 1_000)
        _ = harness.send(late.frames([HistoryDevice.Sample(evening + 60, 0, 0, -1)], sent: sent + 300))
        let messages = harness.tick(at: sent + 1_200)
        #expect(kinds(messages, "sleep").isEmpty && kinds(messages, "day").count == 1)
    }

    @Test("A night that was none, as the watch lay on a table, is withdrawn by a revision without a duration", .slow)
    func tableNight() throws {
        // An arm that is turned every 20 s.
        let worn = stride(from: 0.0, to: 7_200, by: 0.1).map { time -> HistoryDevice.Sample in
            let isTurned = Int(time / 20).isMultiple(of: 2)
            return .init(
                evening + time, isTurned ? 0.8 : 0.1, isTurned ? 0.6 : 0.05, (isTurned ? 0 : -1) - 0.2 * sin(2 * .pi * 1.8 * time)
            )
        }
        func table(_ range: Range<Double>) -> [HistoryDevice.Sample] {
            stride(from: evening + range.lowerBound, to: evening + range.upperBound, by: 0.1).map { .init($0, 0.01, 0.02, -1) }
        }
        var device = HistoryDevice(start: evening - 1_000)
        var harness = harness()
        _ = harness.send(device.frames(worn + table(7_200..<10_200), sent: evening + 10_210))
        let first = kinds(harness.tick(at: evening + 10_400), "sleep")
        #expect(first.count == 1)
        #expect((first.first?.number("sleepDuration") ?? 0) > 0)
        _ = harness.send(device.frames(table(10_200..<17_000), sent: evening + 17_010))
        let second = try #require(kinds(harness.tick(at: evening + 17_200), "sleep").first)
        #expect(second.number("revision") == 1)
        #expect(second.number("sleepDuration") == 0 && second.number("coverage") == 0)
        #expect(second.number("start") == second.number("end"))
        #expect(second.text("id") != first.first?.text("id"))
    }

    @Test("Withdrawn consent erases the nights of the boot before, too", .slow)
    func consentOfDisplacedBoot() throws {
        let (frames, sent) = morning(SimulatedNight(from: evening, hours: 3))
        var harness = harness()
        var first = TestDevice("watch-1", boot: "d1", offset: sent - 100)
        var second = TestDevice("watch-1", boot: "d2", offset: sent + 300)
        _ = harness.send(first.depth(0, uptime: 1))
        _ = harness.send(frames)
        #expect(kinds(harness.tick(at: sent + 200), "sleep").count == 1)
        _ = harness.send(second.depth(0, uptime: 1))
        let id = try #require(DeviceID("watch-1"))
        #expect(harness.pipeline.state(of: id)?.displaced?.derivations[SleepDerivation.self] != nil)
        _ = harness.replace(policy: PipelineHarness.policy("watch-1", .everything))
        let state = try #require(harness.pipeline.state(of: id))
        #expect(state.displaced?.derivations[SleepDerivation.self] == nil && state.boot.derivations[SleepDerivation.self] == nil)
        #expect(state.displaced?.derivations[DayDerivation.self] != nil)
    }

    @Test("Places of rejected frames are given up beyond the limit", .slow)
    func rejectedPlaces() throws {
        var harness = harness()
        for number in 0..<HistoryOrder.mostPieces + 200 {
            let text = """
                {"schema":"wearables/1","boot":"b1","seq":\(2 * number + 1),"uptime":\(1_000 + number),"sent":\(evening + Double(number))}
                """
            _ = harness.send(
                RecordedMessage(
                    at: evening + Double(number) / 10,
                    message: InboundMessage(topic: "wearables/watch-1/in/recorded-accelerometer", payload: Array(text.utf8))))
        }
        let id = try #require(DeviceID("watch-1"))
        let order = try #require(harness.pipeline.state(of: id)?.history.newest)
        #expect(order.pieces.count <= HistoryOrder.mostPieces)
        #expect(order.prefix != nil)
    }

    @Test("A walk gives its steps, and a gap is no rest")
    func walk() throws {
        let samples =
            SimulatedNight.walk(from: evening, seconds: 120, cadence: 1.8)
            + SimulatedNight.walk(from: evening + 600, seconds: 60, cadence: 1.8)
        var device = HistoryDevice(start: evening - 1_000)
        var harness = harness()
        _ = harness.send(device.frames(samples, sent: evening + 700))
        let day = try #require(kinds(harness.tick(at: evening + 800), "day").first)
        #expect(abs((day.number("estimatedSteps") ?? 0) - 1.8 * 180) <= 4)
        #expect(abs((day.number("coverage") ?? 0) - 180.0 / 86_400) < 0.0002)
        let levels = ["sedentary", "light", "moderate", "vigorous"].compactMap { day.number($0) }.reduce(0, +)
        #expect(abs(levels - 180) <= 10)
    }

    @Test("Samples older than the window are discarded and reported once; the others are kept")
    func window() throws {
        var device = HistoryDevice(start: evening - 1_000)
        let sent = evening + 36 * 3_600 + 30
        let frames = device.frames(SimulatedNight.walk(from: evening, seconds: 60, cadence: 2), sent: sent)
        var harness = harness()
        _ = harness.send(frames + frames)
        let messages = harness.tick(at: sent + 200)
        let gaps = kinds(messages, "gap")
        #expect(gaps.count == 1)
        #expect(gaps.first?.text("unit") == "samples")
        #expect(gaps.first?.number("expected") == 1_500)
        #expect(abs((kinds(messages, "day").first?.number("coverage") ?? 0) * 86_400 - 30) < 10)
    }

    @Test("A missing frame stops what is committed, and is given up after the window")
    func missing() throws {
        var device = HistoryDevice(start: evening - 1_000)
        var frames = device.frames(SimulatedNight.walk(from: evening, seconds: 180, cadence: 2), size: 3_000, sent: evening + 200)
        frames.remove(at: 1)
        var harness = harness()
        _ = harness.send(frames)
        func committed() throws -> DerivedJSON {
            let id = try #require(DeviceID("watch-1"))
            return DerivedJSON(try #require(harness.pipeline.committedMessages(of: id).first))
        }
        #expect(try committed().number("seq") == 0)
        #expect(try committed().number("through") == 3_999)
        #expect(abs((try committed().number("throughDate") ?? 0) - evening - 59.98) < 1e-3)
        _ = harness.tick(at: evening + 300)
        let gap = kinds(harness.tick(at: evening + 400 + 36 * 3_600), "gap").first
        #expect(gap?.text("unit") == "frames")
        #expect(gap?.number("expected") == 1)
        #expect(try committed().number("seq") == 2)
    }

    @Test("The committed frames of each boot are reported, and those of the boot with the latest samples first")
    func committedBoots() throws {
        let id = try #require(DeviceID("watch-1"))
        let samples = SimulatedNight.walk(from: evening, seconds: 40, cadence: 2)
        var device = HistoryDevice(start: evening - 1_000)
        var next = HistoryDevice(boot: "b2", start: evening - 500)
        var harness = harness()
        func committed() -> DerivedJSON? { harness.pipeline.committedMessages(of: id).first.map(DerivedJSON.init) }
        func others() -> [String] {
            let list = committed()?.fields["otherBoots"] as? [[String: Any]] ?? []
            return list.map { "\($0["boot"] as? String ?? "") \(($0["seq"] as? NSNumber)?.intValue ?? -1)" }
        }
        _ = harness.send(device.frames(Array(samples[..<1_000]), size: 500, sent: evening + 100))
        #expect(committed()?.text("boot") == "b1")
        #expect(others().isEmpty)
        // The first frame of the next boot is missing: none of its frames is reported.
        let frames = next.frames(Array(samples[1_000...]), size: 500, sent: evening + 200)
        _ = harness.send(frames[1])
        #expect(committed()?.text("boot") == "b1")
        #expect(others().isEmpty)
        _ = harness.send(frames[0])
        #expect(committed()?.text("boot") == "b2")
        #expect(committed()?.number("seq") == 1)
        #expect(others() == ["b1 1"])
    }

    @Test("Frames of a refused device are not stored, and not committed")
    func refused() throws {
        var denied = Self.policy
        denied.available[.recordedAccelerometer] = false
        var device = HistoryDevice(start: evening - 1_000)
        let frames = device.frames(SimulatedNight.walk(from: evening, seconds: 60, cadence: 2), sent: evening + 100)
        var harness = harness(denied)
        let messages = harness.send(frames)
        let access = messages.first { $0.kind == "access/recorded-accelerometer" }
        #expect(access?.flag("allowed") == false)
        #expect(access?.number("code") == 109)
        let id = try #require(DeviceID("watch-1"))
        #expect(harness.pipeline.committedMessages(of: id).isEmpty)
        let late3 = identities(harness.tick(at: evening + 300))
        #expect(late3.isEmpty)
        _ = harness.replace(policy: PipelineHarness.policy("watch-1", Self.policy))
        _ = harness.send(frames)
        let days = kinds(harness.tick(at: evening + 500), "day")
        #expect(days.count == 1)
    }

    @Test("Without a state directory the stream is rejected")
    func notStored() {
        var device = HistoryDevice(start: evening - 1_000)
        var harness = PipelineHarness(settings: .with { $0.history.isStored = false })
        let messages = harness.send(device.frames(SimulatedNight.walk(from: evening, seconds: 1, cadence: 2), sent: evening + 9))
        #expect(messages.map { $0.text("reason") } == ["notStored"])
    }

    @Test("A history holds up no timer and changes neither boot nor clock of the device")
    func ownTime() throws {
        var diver = TestDevice("watch-1", offset: evening)
        var harness = harness()
        _ = harness.send(diver.depth(3, uptime: 100))
        let id = try #require(DeviceID("watch-1"))
        let before = try #require(harness.pipeline.state(of: id)?.intake)
        var device = HistoryDevice(boot: "earlier", start: evening - 200_000)
        var frame = try #require(
            device.frames(SimulatedNight.walk(from: evening - 100_000, seconds: 10, cadence: 2), sent: evening - 50_000).first)
        frame.at = evening + 101
        let messages = harness.send(frame)
        #expect(harness.pipeline.state(of: id)?.intake == before)
        #expect(messages.allSatisfy { $0.kind != "depth-state" })
        let silent = harness.tick(at: evening + 110)
        #expect(silent.contains { $0.kind == "depth-state" && $0.text("quality") == "stale" || $0.text("cause") == "silence" })
    }

    @Test("A revoked device loses its history and is denied")
    func revoked() throws {
        let (frames, sent) = morning(SimulatedNight(from: evening, hours: 1))
        var harness = harness()
        _ = harness.send(frames)
        var revoked = Self.policy
        revoked.authorization = .denied
        revoked.isRevoked = true
        _ = harness.replace(policy: PipelineHarness.policy("watch-1", revoked))
        let id = try #require(DeviceID("watch-1"))
        #expect(harness.pipeline.state(of: id)?.history == HistoryTrack())
        let late4 = identities(harness.tick(at: sent + 500))
        #expect(late4.isEmpty)
        let change = try harness.pipeline.takeChanges().first { $0.device == id }
        #expect(change?.erasesHistory == true)
        #expect(change?.history.isEmpty == true)
    }

    @Test("An erased device loses everything, its retained topics are cleared, and it begins anew without a gap")
    func erased() throws {
        let (frames, sent) = morning(SimulatedNight(from: evening, hours: 1))
        var diver = TestDevice("watch-1", offset: sent - 100)
        var harness = harness()
        _ = harness.send(frames + [diver.depth(3, uptime: 100.5), diver.depth(3, uptime: 101)])
        let retained = Set(harness.tick(at: sent + 200).filter { $0.kind == "day" }.map(\.topic))
        let id = try #require(DeviceID("watch-1"))
        let now = GatewayTime(unix: UnixTime(sent + 201), monotonic: sent + 201)
        let cleared = harness.pipeline.erase(id, at: now).map(DerivedJSON.init)
        #expect(retained.isEmpty == false)
        #expect(Set(cleared.filter(\.isClearing).map(\.topic)).isSuperset(of: retained))
        #expect(cleared.contains { $0.isClearing && $0.topic.hasSuffix("/out/depth-state") })
        #expect(cleared.contains { $0.isClearing && $0.topic.hasSuffix("/out/committed/recorded-accelerometer") })
        let change = try #require(try harness.pipeline.takeChanges().first { $0.device == id })
        #expect(change.erasesHistory && change.replacesAll)
        #expect(change.parts.isEmpty && change.history.isEmpty && change.events.isEmpty)
        #expect(harness.pipeline.state(of: id) ?? DeviceState() == DeviceState())
        let after = harness.send(diver.depth(3, uptime: 302))
        #expect(after.contains { $0.kind == "depth-state" })
        #expect(!after.contains { $0.kind == "gap" })
        let late = identities(harness.tick(at: sent + 500))
        #expect(late.isEmpty)
    }

    @Test("A device whose clock is wrong by years costs nothing: its samples are discarded")
    func wrongClock() throws {
        var harness = harness()
        var early = HistoryDevice(start: 1_000_000_000)
        var frame = early.frames(SimulatedNight.walk(from: 1_100_000_000, seconds: 10, cadence: 2), sent: 1_100_000_100)[0]
        frame.at = evening
        var late = HistoryDevice(boot: "b2", start: 4_000_000_000)
        var other = late.frames(SimulatedNight.walk(from: 4_000_100_000, seconds: 10, cadence: 2), sent: 4_000_100_100)[0]
        other.at = evening + 1
        _ = harness.send([frame, other])
        let messages = harness.tick(at: evening + 100)
        #expect(kinds(messages, "day").isEmpty)
        #expect(kinds(messages, "gap").first?.number("expected") == 1_000)
        // An app that asks for samples from `throughDate` on must not skip years.
        let id = try #require(DeviceID("watch-1"))
        let committed = harness.pipeline.committedMessages(of: id).map(DerivedJSON.init)
        #expect(committed.allSatisfy { $0.number("throughDate") == nil && $0.number("through") == nil })
    }
}
