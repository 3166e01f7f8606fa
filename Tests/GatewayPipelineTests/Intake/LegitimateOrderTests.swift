import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Brokers and apps that reorder, repeat and mix stored messages begin no run")
struct LegitimateOrderTests {
    private typealias Sample = RunScenario.Sample

    /// A device at the surface that was away in seconds 5 to 34, in a dive to 12 m, and sends what it stored between live messages.
    private func mixed(liveEvery: Int = 4) -> [Sample] {
        let live = (0..<5).map { Sample(at: Double($0), 0, seq: $0) }
        let stored = (5..<35).map { Sample(at: 0, clock: Double($0), min(12, 1.5 * Double(min($0 - 5, 34 - $0))), seq: $0) }
            .map { $0.sent(at: $0.clock) }
        var samples = live
        var (next, second) = (0, 35)
        while next < stored.count {
            samples.append(Sample(at: Double(second), 0, seq: second))
            for step in 1..<liveEvery where next < stored.count {
                var sample = stored[next]
                sample.at = Double(second) + 0.2 * Double(step)
                samples.append(sample)
                next += 1
            }
            second += 1
        }
        samples += (second..<(second + 5)).map { Sample(at: Double($0), 0, seq: $0) }
        return samples
    }

    @Test("Stored and live messages mixed: the device stays at the surface", arguments: RunScenario.Writing.allCases, [3, 5])
    func storedAndLive(_ writing: RunScenario.Writing, _ liveEvery: Int) throws {
        var harness = try RunScenario.harness()
        let messages = harness.play(mixed(liveEvery: liveEvery), as: writing, waiting: 0.1)
        #expect(messages.runs == [1] && !messages.reports.contains("clockSetBack"))
        #expect(messages.lastDepth == "notSubmerged")
        if !writing.hasSequence { #expect(messages.depths.allSatisfy { $0.text("state") == "notSubmerged" }) }
        let counters = harness.pipeline.counters
        #expect(counters.outcomes == counters.received)
        // With a seq they are a gap that is given up; without, they are late or not newer.
        if !writing.hasSequence { #expect(counters.late + counters.repeatedReadings >= 30) }
    }

    @Test("Stored messages that are numbered as they are sent are in doubt only until the next live one")
    func numberedWhenSent() throws {
        var harness = try RunScenario.harness()
        var samples = mixed()
        for index in samples.indices { samples[index].seq = index }
        let messages = harness.play(samples, as: .native, waiting: 0.1)
        #expect(messages.runs == [1] && !messages.reports.contains("clockSetBack"))
        #expect(messages.depths.allSatisfy { $0.text("state") == "notSubmerged" })
        #expect(!messages.contains { $0.kind == "gap" })
        #expect(harness.pipeline.counters.late + harness.pipeline.counters.repeatedReadings >= 30)
    }

    @Test(
        "An old stretch that is sent again, fast, begins no run, whatever comes after it", arguments: RunScenario.Writing.allCases
    )
    func oldStretch(_ writing: RunScenario.Writing) throws {
        var harness = try RunScenario.harness()
        let live = (0..<60).map { Sample(at: Double($0), 4, seq: $0) }
        let again = (0..<40).map { Sample(at: 200 + 0.02 * Double($0), clock: Double($0), 4, seq: $0).sent(at: Double($0)) }
        let after = (210..<230).map { Sample(at: Double($0), 3, seq: $0 - 150) }
        let messages =
            harness.play(live + again, as: writing, waiting: 0.1) + harness.tick(at: RunScenario.start + 209)
            + harness.play(after, as: writing, waiting: 0.1)
        #expect(!messages.reports.contains("clockSetBack") && !messages.reports.contains("bootReused"))
        #expect(messages.runs == [1])
        #expect(messages.depths.last?.number("depth") == 3)
    }

    @Test(
        "Messages in another order within seconds, and delivered twice", .slow, arguments: RunScenario.Writing.allCases,
        0..<8 as Range<UInt64>)
    func shuffled(_ writing: RunScenario.Writing, _ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var harness = try RunScenario.harness()
        var samples = RunScenario.descent(0..<60)
        for index in samples.indices {
            samples[index] = samples[index].sent(at: samples[index].at)
            samples[index].at += Double.random(in: 0...4, using: &generator)
        }
        for _ in 0..<20 {
            var copy = samples[Int.random(in: 0..<60, using: &generator)]
            copy.at = min(58, copy.at + Double.random(in: 0...30, using: &generator))
            samples.append(copy)
        }
        samples.sort { $0.at < $1.at }
        let messages = harness.play(samples, as: writing, waiting: 0.1)
        #expect(messages.runs == [1])
        #expect(!messages.reports.contains("clockSetBack") && !messages.reports.contains("bootReused"))
        #expect(harness.pipeline.counters.outcomes == harness.pipeline.counters.received)
    }

    @Test(
        "While a broker delivers again behind newer messages, those without seq are not in doubt",
        arguments: [RunScenario.Writing.flat, .columns])
    func redelivery(_ writing: RunScenario.Writing) throws {
        var settings = try RunScenario.settings()
        settings.intake.redeliverySeconds = 60
        var harness = PipelineHarness(settings: settings)
        _ = harness.play((0..<20).map { Sample(at: Double($0), 5, seq: $0) }, as: writing, waiting: 0.1)
        harness.awaitRedelivery(at: RunScenario.start + 20)
        let again = (0..<30).map { Sample(at: 21 + Double($0), clock: Double($0) / 3, 4, seq: $0) }
        let messages = harness.play(again, as: writing, waiting: 0.1)
        #expect(messages.reports.isEmpty && messages.runs == [1])
        #expect(messages.depths.map { $0.text("state") } == ["unknown"])
    }

    @Test("Sensor Logger: a session that goes back in time begins a run; a message that comes twice, or late, none")
    func sensorLogger() throws {
        var harness = try SensorLoggerPipeline.make()
        var app = SensorLoggerApp()
        let start = SensorLoggerPipeline.start
        var messages: [DerivedJSON] = []
        for second in 0..<20 {
            let at = start + Double(second)
            let sent = app.messages(from: at, seconds: 1, headphones: SensorLoggerPipeline.head(from: at, seconds: 1))
            messages += harness.send(sent)
            if second % 3 == 0 { messages += harness.send(sent) }
        }
        #expect(messages.reports.isEmpty && messages.runs.isSubset(of: [1]))
        for second in 20..<40 {
            let clock = start + Double(second) - 1_000
            var sent = app.messages(from: clock, seconds: 1, headphones: SensorLoggerPipeline.head(from: clock, seconds: 1))
            for index in sent.indices { sent[index].at += 1_000 }
            messages += harness.send(sent)
        }
        #expect(messages.reports == ["clockSetBack"])
        #expect(messages.runs == [1, 2])
        #expect(harness.pipeline.counters.missingFrames == 0 && harness.pipeline.counters.late == 0)
    }
}
