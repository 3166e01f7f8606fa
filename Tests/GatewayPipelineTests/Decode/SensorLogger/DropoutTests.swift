import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Sensor Logger: what is missing")
struct SensorLoggerDropoutTests {
    private let start = SensorLoggerPipeline.start

    /// Headphones at 50 Hz that fall silent; each silence begins after the reading at `after`.
    private static let silences: [(after: Double, seconds: Double)] = [
        (3, 0.1), (5.5, 0.5), (8.02, 0.98), (12.3, 1.02), (16, 1.98), (20.7, 2.02), (27.4, 4.9), (35, 5.2), (44.44, 17),
    ]

    private func headphones() -> [AppReading] {
        SensorLoggerPipeline.head(seconds: 70).filter { reading in
            let time = reading.time - start
            return !Self.silences.contains { time > $0.after + 0.001 && time < $0.after + $0.seconds - 0.001 }
        }
    }

    private func wrist() -> [AppReading] { SensorLoggerPipeline.head(from: start - 20, seconds: 90, rate: 25) }

    private func expected(limit: Double) -> [String] {
        ["connected@0.0"]
            + Self.silences.filter { $0.seconds > limit }.flatMap { silence in
                let ends = ((silence.after + silence.seconds) * 1000).rounded() / 1000
                return ["silent@\(((silence.after + limit) * 1000).rounded() / 1000)", "connected@\(ends)"]
            }
    }

    private func harness(limit: Double, lagAllowance: Double = 0) throws -> PipelineHarness {
        try SensorLoggerPipeline.make { settings in
            settings.derive[HeadphoneConnectionDerivation.self].silenceSeconds = limit
            settings.derive[DeviceConnectionDerivation.self].lagAllowanceSeconds = lagAllowance
        }
    }

    @Test(.slow, arguments: [1.0, 2, 5], [0.0, 10])
    func `Connections change exactly where the silences are, however late the watch`(
        limit: Double, watchLag: Double
    ) throws {
        var app = SensorLoggerApp()
        var harness = try harness(limit: limit)
        let messages = harness.send(
            app.messages(from: start, seconds: 70, watchLag: watchLag, headphones: headphones(), wrist: wrist()))
        #expect(SensorLoggerPipeline.transitions(messages) == expected(limit: limit))
    }

    @Test(.slow, arguments: [1.0, 2, 5], [0.0, 10])
    func `With the batch period allowed for, timers between messages change nothing`(
        limit: Double, watchLag: Double
    ) throws {
        var app = SensorLoggerApp()
        var harness = try harness(limit: limit, lagAllowance: 1.2)
        let messages = app.messages(from: start, seconds: 70, watchLag: watchLag, headphones: headphones(), wrist: wrist())
            .flatMap { message in
                (0..<10).flatMap { harness.tick(at: message.at - 1 + Double($0) / 10) } + harness.send(message)
            }
        #expect(SensorLoggerPipeline.transitions(messages) == expected(limit: limit + 1.2))
    }

    @Test func `Shuffled messages give what they give in order`() throws {
        var app = SensorLoggerApp()
        var recorded = app.messages(from: start, seconds: 12, headphones: SensorLoggerPipeline.head(seconds: 12))
        var first = try SensorLoggerPipeline.make()
        let expected = first.send(recorded)
        for index in stride(from: 2, to: 11, by: 3) {
            recorded[index].at = recorded[index + 1].at + 0.05
            recorded.swapAt(index, index + 1)
        }
        var second = try SensorLoggerPipeline.make()
        let found = second.send(recorded)
        let kinds: (DerivedJSON) -> Bool = { !$0.kind.hasPrefix("convention") && !$0.kind.hasPrefix("access") }
        #expect(found.filter(kinds).map(\.lasting) == expected.filter(kinds).map(\.lasting))
        #expect(second.pipeline.counters.held > 0)
    }

    @Test func `A lost message is a gap of each stream`() throws {
        var app = SensorLoggerApp()
        var messages = app.messages(
            from: start, seconds: 12, headphones: SensorLoggerPipeline.head(seconds: 12), wrist: wrist())
        messages.remove(at: 3)
        var harness = try SensorLoggerPipeline.make()
        let gaps = harness.send(messages).filter { $0.kind == "gap" }
        #expect(Set(gaps.compactMap { $0.text("stream") }) == ["headphone-motion", "device-motion"])
        for gap in gaps {
            #expect(gap.text("unit") == "frames")
            #expect(gap.number("expected") == 1)
            #expect(abs((gap.number("to") ?? 0) - (gap.number("from") ?? 0) - 1) < 0.1)
        }
    }

    @Test(arguments: [0, 1, 500]) func `A recording begins with any number, and nothing waits for what was never sent`(
        first: Int
    ) throws {
        var app = SensorLoggerApp(first: first)
        var harness = try SensorLoggerPipeline.make()
        let messages = harness.send(
            app.messages(from: start, seconds: 2, headphones: SensorLoggerPipeline.head(seconds: 2)))
        #expect(SensorLoggerPipeline.transitions(messages) == ["connected@0.0"])
        #expect(!messages.contains { $0.kind == "gap" })
    }

    @Test func `A new recording is a new boot, with units, reference and numbers of its own`() throws {
        var app = SensorLoggerApp()
        var harness = try SensorLoggerPipeline.make()
        _ = harness.send(app.messages(from: start, seconds: 5, headphones: SensorLoggerPipeline.head(seconds: 5)))
        var next = SensorLoggerApp(session: "Session 2, über 64 Zeichen? ".padded(to: 100), writing: .standardisedAndTurned)
        let later = start + 60
        let messages = harness.send(
            next.messages(from: later, seconds: 5, headphones: SensorLoggerPipeline.head(from: later, seconds: 5)))
        #expect(messages.first { $0.kind == "convention/headphone-motion" }?.flag("standardised") == true)
        let poses = SensorLoggerPipeline.poses(messages)
        #expect(!poses.isEmpty && poses.allSatisfy { ($0.number("referenceAt") ?? 0) > later })
        let boots = poses.compactMap { ($0.fields["source"] as? [String: Any])?["boot"] as? String }
        #expect(Set(boots).count == 1 && boots.allSatisfy { Identifier($0) != nil && $0 != "session-1" })
        #expect(harness.send(app.message(at: start + 6, headphones: [])).isEmpty)
        #expect(harness.pipeline.counters.late == 1)
    }
}

extension String {
    fileprivate func padded(to length: Int) -> String { self + String(repeating: "x", count: length - count) }
}
