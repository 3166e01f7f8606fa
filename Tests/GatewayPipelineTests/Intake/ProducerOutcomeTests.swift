import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Outcomes of messages of producers")
struct ProducerOutcomeTests {
    private static let start = 1_763_749_000.0

    /// Sends the messages, and ends; the numbers of messages that were not admitted, that were received, and of outcomes.
    private func counts(
        _ harness: PipelineHarness, _ messages: [RecordedMessage]
    ) -> (notAdmitted: Int, received: Int, outcomes: Int) {
        var harness = harness
        for message in messages { _ = harness.send(message) }
        _ = harness.end()
        let counters = harness.pipeline.counters
        return (harness.admission.rejected.values.reduce(0, +), counters.received, counters.outcomes)
    }

    @Test("An envelope of Sensor Logger has one outcome, whether it is good, late, repeated or swapped")
    func sensorLogger() throws {
        let start = SensorLoggerPipeline.start
        var app = SensorLoggerApp()
        var other = SensorLoggerApp(session: "session-2")
        var messages = app.messages(from: start, seconds: 12, headphones: SensorLoggerPipeline.head(seconds: 12))
        messages.swapAt(3, 4)
        messages.insert(messages[1], at: 6)
        messages.remove(at: 8)
        messages += other.messages(
            from: start + 20, seconds: 3, headphones: SensorLoggerPipeline.head(from: start + 20, seconds: 3))
        messages.append(messages[0])
        for text in ["", "{", "[]", #"{"messageId":1}"#] {
            messages.append(mapped(app.topic, text, at: start + 30))
        }
        let counts = counts(try SensorLoggerPipeline.make(), messages)
        // A damaged envelope names no sender, so it is not admitted.
        #expect(counts.notAdmitted == 4)
        #expect(counts.received == messages.count - 4)
        #expect(counts.outcomes == counts.received)
    }

    @Test("An envelope has an outcome, and a missing one a gap, on a lane that has none of its streams")
    func foreignStreams() throws {
        var app = SensorLoggerApp()
        var lane = TestLane(
            [.headphoneMotion, .headphoneConnection],
            settings: try PipelineHarness.settings(producer: "sensorLogger", ["topic": "sensor-logger/{user}"]),
            policy: PipelineHarness.policy("anna", topic: app.topic, id: app.id))
        let envelopes = (0..<4).map { second in
            let time = SensorLoggerPipeline.start + Double(second)
            return app.message(
                at: time + 1.1,
                others: [
                    #"{"name":"barometer","time":\#(SensorLoggerApp.nanoseconds(time)),"values":{"relativeAltitude":1,"pressure":1000}}"#
                ])
        }
        let messages = lane.take([envelopes[0], envelopes[1], envelopes[3]]) + lane.tick(at: SensorLoggerPipeline.start + 30)
        #expect(lane.pipeline.counters.received == 3)
        #expect(lane.pipeline.counters.outcomes == 3)
        #expect(lane.pipeline.counters.missingFrames == 1)
        #expect(messages.contains { $0.kind == "gap" && $0.text("stream") == "altimeter" })
    }

    @Test("A mapped message and a report of presence have one outcome each")
    func mappedAndPresence() throws {
        let producers = try ProducersText.producers(
            """
            presence: {name: p, preset: esphome}
            mappings: [{name: m, topic: 'm/{device}', stream: altimeter, time: {pointer: /t, unit: s, clock: unix}, \
            fields: {relativeAltitude: {pointer: /h, unit: m}}}]
            """)
        var messages = ["online", "online", "nonsense", "offline", "", "online"].enumerated().map { index, word in
            mapped("d1/status", word, at: Self.start + Double(index), retain: index == 0)
        }
        for (index, text) in [#"{"t":1763749010,"h":1}"#, #"{"t":1763749010,"h":1}"#, #"{"t":1,"h":1}"#, #"{"h":1}"#, "{", ""]
            .enumerated()
        {
            messages.append(mapped("m/d1", text, at: Self.start + 10 + Double(index)))
        }
        let counts = counts(PipelineHarness(producers: producers), messages)
        #expect(counts.received == messages.count)
        #expect(counts.outcomes == messages.count)
    }
}
