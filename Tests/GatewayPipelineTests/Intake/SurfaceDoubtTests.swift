import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("At the surface, where silence is normal, frames in doubt lead to unknown")
struct SurfaceDoubtTests {
    private typealias Sample = RunScenario.Sample

    @Test("A clock that is set back and stands still, before a dive", arguments: RunScenario.Writing.allCases)
    func standsStill(_ writing: RunScenario.Writing) throws {
        var harness = try RunScenario.harness()
        let samples = (0..<60).map { second in
            Sample(at: Double(second), clock: second < 5 ? Double(second) : -3_600, second < 5 ? 0 : Double(second), seq: second)
        }
        let messages = harness.play(samples, as: writing)
        #expect(messages.depths.compactMap { $0.text("state") } == ["notSubmerged", "unknown"])
        #expect(messages.runs == [1])
    }

    @Test("A clock that is set back after a minute between samples, before a dive", arguments: RunScenario.Writing.allCases)
    func sparse(_ writing: RunScenario.Writing) throws {
        var harness = try RunScenario.harness()
        let surface = (0..<4).map { Sample(at: 60 * Double($0), 0, seq: $0) }
        let dive = (0..<30).map { second in
            Sample(at: 240 + Double(second), clock: Double(second) - 3_600, Double(second), seq: 4 + second)
        }
        let messages = harness.play(surface + dive, as: writing)
        let unknown = try #require(messages.depths.first { $0.text("state") == "unknown" })
        #expect(try #require(unknown.number("received")) <= RunScenario.start + 246)
    }

    @Test("An app that begins again with an earlier wall clock: nothing tells a new run, and it is reported")
    func restartedBefore() throws {
        var harness = try RunScenario.harness()
        let before = (0..<5).map { Sample(at: Double($0), 0, seq: $0).sent(at: Double($0)) }
        let after = (0..<5).map { second in
            Sample(at: 60 + Double(second), clock: -900_000 + Double(second), 10, seq: second).sent(at: -3_600 + Double(second))
        }
        let rest = (5..<20).map { second in
            // A duplicate of a `seq` that was used; 4 is the last.
            Sample(at: 60 + Double(second), clock: -900_000 + Double(second), 10, seq: 4).sent(at: -3_600 + Double(second))
        }
        let messages = harness.play(before + after + rest, as: .native)
        #expect(messages.reports == ["bootReused"])
        #expect(messages.lastDepth == "unknown")
    }

    @Test("Stored messages between live ones, and a few after the last, leave the state")
    func stored() throws {
        var harness = try RunScenario.harness()
        let samples = (0..<40).map { index in
            Sample(
                at: 40 + Double(index) / 10, clock: index.isMultiple(of: 2) ? 40 + Double(index) / 10 : Double(index),
                index.isMultiple(of: 2) ? 0 : 12, seq: index)
        }
        var messages = harness.play([Sample(at: 0, 0, seq: 0)] + samples, as: .flat)
        messages += harness.tick(at: RunScenario.start + 100)
        #expect(Set(messages.depths.compactMap { $0.text("state") }) == ["notSubmerged"])
    }
}

@Suite("Frames that show nothing new")
struct NothingNewTests {
    private func frame(_ topic: String, seq: Int, uptime: Double, sent: Double, at: Double, _ body: String) -> RecordedMessage {
        mapped(
            "wearables/d1/in/\(topic)",
            #"{"schema":"wearables/1","boot":"b1","seq":\#(seq),"uptime":\#(uptime),"sent":\#(RunScenario.start + sent),\#(body)}"#,
            at: RunScenario.start + at)
    }

    private func depth(_ depth: Double, seq: Int, uptime: Double, measured: Double? = nil, sent: Double, at: Double)
        -> RecordedMessage
    {
        frame(
            "submersion", seq: seq, uptime: uptime, sent: sent, at: at,
            #""measurements":[{"timestamp":\#(measured ?? uptime),"depth":{"value":\#(depth),"unit":"m"}}]"#)
    }

    @Test("A deeper measurement of the instant at which the sensor stopped ends no silence, and no id has two contents")
    func noise() throws {
        var harness = try RunScenario.harness()
        var messages: [DerivedJSON] = []
        for second in 0..<40 {
            let time = Double(second)
            messages += harness.send(
                depth(5 + 0.01 * time, seq: second, uptime: 1_000 + time, measured: 1_000 + min(time, 5), sent: time, at: time))
        }
        #expect(messages.depths.filter { $0.text("state") == "unknown" }.count == 1)
        #expect(messages.lastDepth == "unknown")
        #expect(Set(messages.ids).count == messages.ids.count)
    }

    @Test("The last frame, sent again with a new sent each second, begins no run")
    func sentAgain() throws {
        var harness = try RunScenario.harness()
        var messages: [DerivedJSON] = []
        for second in 0..<60 {
            let time = Double(second)
            messages += harness.send(
                depth(5, seq: min(second, 5), uptime: 1_000 + min(time, 5), sent: time, at: time))
            messages += harness.tick(at: RunScenario.start + time + 0.25)
        }
        #expect(messages.runs == [1])
        #expect(!messages.contains { $0.kind == "gap" })
        #expect(messages.depths.filter { $0.text("state") == "unknown" }.count == 1 && messages.lastDepth == "unknown")
    }

    @Test("A stream that begins its seq again ends nothing of another that goes on")
    func otherStream() throws {
        var harness = try RunScenario.harness()
        var messages: [DerivedJSON] = []
        for second in 0..<60 {
            let time = Double(second)
            messages += harness.send(depth(5, seq: second, uptime: 1_000 + time, sent: time, at: time))
            messages += harness.send(
                frame(
                    "status", seq: second < 20 ? second : second - 20, uptime: 1_000.5 + time, sent: time + 0.5, at: time + 0.5,
                    #""state":"online""#))
            messages += harness.tick(at: RunScenario.start + time + 0.75)
        }
        #expect(messages.reports == ["bootReused"])
        #expect(!messages.contains { $0.kind == "gap" })
        #expect(messages.depths.allSatisfy { $0.text("state") == "submergedDeep" })
        #expect(messages.depths.runs == [1])
    }

    @Test("Two set-backs that are known at one instant are two reports")
    func reports() throws {
        var harness = try RunScenario.harness()
        var messages: [DerivedJSON] = []
        for second in 0..<30 {
            let shift = second < 10 ? 0.0 : second < 13 ? -3_600 : -7_200
            messages += harness.send(
                RunScenario.message(.init(at: Double(second), clock: Double(second) + shift, 5, seq: second), as: .flat))
        }
        let reports = messages.filter { $0.text("reason") == "clockSetBack" }
        #expect(reports.count == 2 && Set(reports.compactMap { $0.text("id") }).count == 2)
    }

    @Test("A counter of steps with one start goes on over a clock that is set back, and over a reboot", arguments: [false, true])
    func steps(isReboot: Bool) throws {
        var harness = try RunScenario.harness()
        var messages: [DerivedJSON] = []
        let start = RunScenario.start - 100
        for second in stride(from: 0, to: 80, by: 2) {
            let (time, isAfter) = (Double(second), second >= 40)
            let uptime = (isAfter ? 200 : 10_000) + time
            messages += harness.send(
                mapped(
                    "wearables/d1/in/pedometer",
                    #"{"schema":"wearables/1","boot":"\#(isReboot && isAfter ? "b2" : "b1")","seq":\#(isReboot && isAfter ? second / 2 - 20 : second / 2),"uptime":\#(uptime),"sent":\#(RunScenario.start + time),"#
                        + #""data":[{"startDate":\#(start),"endDate":\#(RunScenario.start + time),"numberOfSteps":\#(second)}]}"#,
                    at: RunScenario.start + time))
            messages += harness.tick(at: RunScenario.start + time + 1)
        }
        messages += harness.tick(at: RunScenario.start + 2_000)
        let segments = messages.filter { $0.kind == "segment" }.compactMap { $0.number("steps") }
        #expect((74...78).contains(segments.reduce(0, +)), "\(segments)")
    }
}
