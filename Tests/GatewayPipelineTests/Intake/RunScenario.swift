import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

/// Messages of devices whose clock or app misbehaves, and what is published of them.
struct RunScenario {
    static let start = 1_782_400_000.0

    /// How the messages of a diver are written.
    enum Writing: String, CaseIterable, Sendable {
        /// Frames of the contract, with `sent` or without.
        case native, nativeWithoutSent
        /// A mapping with one sample a message, or with several in columns.
        case flat, columns

        /// Whether it has a `seq`.
        var hasSequence: Bool { [.native, .nativeWithoutSent].contains(self) }
    }

    /// One message: when it arrives, what the device's clock reads then, and a depth; all in seconds since the start and in m.
    struct Sample: Sendable {
        var at: Double
        var clock: Double
        var depth: Double
        var seq: Int
        /// The time of the measurement; that of the clock where it is nil.
        var measured: Double?
        /// `sent`; that of the arrival where it is nil.
        var sent: Double?

        init(at: Double, clock: Double? = nil, _ depth: Double, seq: Int, measured: Double? = nil) {
            (self.at, self.clock, self.depth, self.seq, self.measured) = (at, clock ?? at, depth, seq, measured)
        }

        /// The same, sent when the clock was `time`.
        func sent(at time: Double) -> Sample {
            var sample = self
            sample.sent = time
            return sample
        }
    }

    private static let producers = """
        mappings:
          - {name: flat, topic: 'flat/{device}', stream: submersion, time: {pointer: /t, unit: s, clock: unix}, \
        fields: {depth: {pointer: /d, unit: m}}}
          - {name: columns, topic: 'columns/{device}', stream: submersion, layout: columns, \
        time: {pointer: /t, unit: s, clock: unix}, fields: {depth: {pointer: /d, unit: m}}}
        """

    static func settings() throws -> PipelineSettings {
        var settings = PipelineHarness.settings
        settings.producers = try ProducersText.producers(producers)
        // Each depth is published, so that it shows which ones count.
        settings.derive[SubmersionDerivation.self].refreshSeconds = 1
        return settings
    }

    static func harness() throws -> PipelineHarness { PipelineHarness(settings: try settings()) }

    /// The message of a sample.
    static func message(_ sample: Sample, as writing: Writing) -> RecordedMessage {
        let (at, clock) = (start + sample.at, start + sample.clock)
        let measured = sample.measured.map { start + $0 } ?? clock
        switch writing {
        case .native, .nativeWithoutSent:
            // The device booted 1,000,000 s before the start, by its clock.
            let boot = start - 1_000_000
            let sent = writing == .native ? #""sent":\#(sample.sent.map { start + $0 } ?? at),"# : ""
            return mapped(
                "wearables/d1/in/submersion",
                #"{"schema":"wearables/1","boot":"b1","seq":\#(sample.seq),"uptime":\#(clock - boot),\#(sent)"#
                    + #""measurements":[{"timestamp":\#(measured - boot),"depth":{"value":\#(sample.depth),"unit":"m"}}]}"#,
                at: at)
        case .flat: return mapped("flat/d1", #"{"t":\#(measured),"d":\#(sample.depth)}"#, at: at)
        case .columns:
            return mapped(
                "columns/d1",
                #"{"t":[\#(measured - 0.5),\#(measured)],"d":[\#(sample.depth),\#(sample.depth)]}"#, at: at)
        }
    }

    /// A second of a descent to `depth` m for each second, at 0.2 m/s, on the device's clock that differs by `shift(second)`.
    static func descent(_ seconds: Range<Int>, from depth: Double = 2, shift: (Int) -> Double = { _ in 0 }) -> [Sample] {
        seconds.map { second in
            Sample(at: Double(second), clock: Double(second) + shift(second), depth + 0.2 * Double(second), seq: second)
        }
    }

    /// The harness with another pipeline that has restored the states of this one.
    static func restarted(_ harness: PipelineHarness, at: Double) throws -> PipelineHarness {
        let device = try #require(DeviceID("d1"))
        let state = try #require(harness.pipeline.state(of: device))
        let restored = try state.readBack(of: device)
        #expect(restored == state, "\(restored.differences(from: state))")
        return try harness.restarted(at: start + at)
    }
}

extension PipelineHarness {
    /// Sends samples, and lets `waiting` seconds pass after each.
    mutating func play(
        _ samples: [RunScenario.Sample], as writing: RunScenario.Writing, waiting: Double = 0.25
    ) -> [DerivedJSON] {
        samples.flatMap { sample in
            send(RunScenario.message(sample, as: writing)) + tick(at: RunScenario.start + sample.at + waiting)
        }
    }
}

/// What was published.
extension [DerivedJSON] {
    /// Depth states as `state@seconds since the start, by arrival`, and the depth where there is one.
    var depths: [DerivedJSON] { filter { $0.kind == "depth-state" } }

    /// The reasons of reports.
    var reports: [String] { filter { $0.kind == "rejected" }.compactMap { $0.text("reason") } }

    /// The last state of the depth.
    var lastDepth: String? { depths.last?.text("state") }

    /// The numbers of runs that messages are of.
    var runs: Set<Int> {
        Set<Int>(
            compactMap { message in
                guard let source = message.fields["source"] as? [String: Any] else { return nil }
                return source["run"] as? Int ?? 1
            })
    }

    /// The ids, without those of reports, which are made of the time of receipt.
    var ids: [String] { filter { $0.kind != "rejected" && $0.text("id") != nil }.compactMap { $0.text("id") } }
}
