import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Sensor Logger: envelopes")
struct SensorLoggerEnvelopeTests {
    private let start = SensorLoggerPipeline.start

    private func decode(_ text: JSONText, limits: DecodeLimits = DecodeLimits()) throws -> DecodedMessage {
        let decoder = MessageDecoder(producers: try SensorLoggerPipeline.make().pipeline.producers, limits: limits)
        return try decoder.decode(
            InboundMessage(topic: "sensor-logger/anna", payload: text.payload), stream: nil, received: .at(start + 9))
    }

    private func times(_ message: DecodedMessage) -> [Double] {
        guard case .motion(let motion)? = message.frames.first else { return [] }
        return motion.samples.timestamp
    }

    @Test func `A message holds a frame of each sensor, the earlier first, and is sent at its latest time`() throws {
        let message = try decode(SampleEnvelopes.sensorLogger)
        #expect(message.frames.map(\.stream) == [.deviceMotion, .altimeter, .headphoneMotion])
        #expect(message.scope == SequenceScope(producer: "sensorLogger"))
        #expect(message.header.boot.rawValue == "s1")
        #expect(message.header.sequence == 12)
        #expect(message.header.sent?.seconds == message.header.uptime.seconds)
        #expect(abs(message.header.uptime.seconds - 1_782_303_633.5) < 1e-6)
        #expect(message.passedOver.ignored == ["annotation": 1])
    }

    @Test(arguments: [
        ("1782303632216530700", 1_782_303_632.216_530_7), ("1782303632216530688", 1_782_303_632.216_530_688),
        ("1.7823036322165307e18", 1_782_303_632.216_530_7), ("1782303632216530700.5", 1_782_303_632.216_530_7),
        ("17823036322165307e2", 1_782_303_632.216_530_7),
    ])
    func `Times are read however they are written`(written: String, seconds: Double) throws {
        let text = SampleEnvelopes.sensorLogger.with("/payload/0/time", written)
        #expect(times(try decode(text).swappedToHeadphones).contains { abs($0 - seconds) < 5e-7 })
    }

    @Test func `Readings are put in order, and one at the time of another is counted and left out`() throws {
        let text = SampleEnvelopes.sensorLogger
            .with("/payload/0/time", "1782303633000000000").with("/payload/1/time", "1782303632000000000")
            .with("/payload/2/time", "1782303632000000000").with("/payload/2/name", #""Headphone""#)
        let message = try decode(text)
        #expect(message.passedOver.repeated == 1)
        #expect(times(message.swappedToHeadphones) == [1_782_303_632, 1_782_303_633])
    }

    @Test(arguments: [
        ("/payload/1/name", nil, RejectionReason.missingField, "/payload/1/name"), ("/payload/1", "3", .wrongType, "/payload/1"),
        ("/payload/1/time", nil, .missingField, "/payload/1/time"),
        ("/payload/1/time", "\"now\"", .wrongType, "/payload/1/time"),
        ("/payload/1/time", "1782303632", .timeOutOfRange, "/payload/1/time"),
        ("/payload/1/time", "1e19", .timeOutOfRange, "/payload/1/time"),
        ("/payload/1/time", "978307199000000000", .timeOutOfRange, "/payload/1/time"),
        ("/payload/1/time", "4102444801000000000", .timeOutOfRange, "/payload/1/time"),
        ("/payload/1/values", nil, .missingField, "/payload/1/values"),
        ("/payload/1/values/quaternionW", nil, .missingField, "/payload/1/values/quaternionW"),
        ("/payload/1/values/quaternionW", "null", .wrongType, "/payload/1/values/quaternionW"),
        ("/payload/1/values/quaternionW", "5", .invalidValue, "/payload/1/values"),
        ("/payload/1/values/gravityY", "\"NaN\"", .notFinite, "/payload/1/values/gravityY"),
        ("/payload/1/values/devicelocation", "2", .wrongType, "/payload/1/values/devicelocation"),
    ])
    func `A reading that cannot be read is left out with its place, and the others are used`(
        place: String, written: String?, reason: RejectionReason, pointer: String
    ) throws {
        let whole = try decode(SampleEnvelopes.sensorLogger)
        let message = try decode(SampleEnvelopes.sensorLogger.with(place, written))
        #expect(message.passedOver.refused == 1)
        #expect(message.passedOver.refusal?.reason == reason)
        #expect(message.passedOver.refusal?.pointer == pointer)
        #expect(message.passedOver.report?.detail.hasPrefix("a reading is left out: ") == true)
        #expect(message.header.boot == whole.header.boot && message.header.sequence == whole.header.sequence)
        #expect(message.frames.map(\.stream) == whole.frames.map(\.stream))
        #expect(times(message.swappedToHeadphones) == [1_782_303_633.5])
    }

    @Test func `A message of which no reading can be read is rejected`() throws {
        let text = #"{"deviceId":"a","sessionId":"s","messageId":1,"payload":[{"name":"headphone"},{"time":1}]}"#
        let rejection = #expect(throws: Rejection.self) { try decode(.raw(text)) }
        #expect(rejection?.pointer == "/payload/0/time")
    }

    @Test func `Readings that are left out are counted, and reported with the device`() throws {
        var pipeline = try SensorLoggerPipeline.make()
        let app = SensorLoggerApp()
        let bad = SampleEnvelopes.sensorLogger.with("/payload/1/values/gravityY", "\"NaN\"").with("/deviceId", "\"\(app.id)\"")
        let messages = pipeline.send(mapped(app.topic, bad.text, at: start + 9))
        let report = try #require(messages.first { $0.kind == "rejected" })
        #expect(report.text("reason") == "notFinite")
        #expect(report.text("device") != nil)
        #expect(report.text("pointer") == "/payload/1/values/gravityY")
        #expect(pipeline.pipeline.counters.refusedReadings == 1)
        #expect(pipeline.pipeline.counters.rejected.isEmpty)
    }

    @Test(arguments: ["wrist motion", "wristMotion", "WristMotion", "wrist_motion"]) func `Names are read in every spelling`(
        name: String
    ) throws {
        let message = try decode(SampleEnvelopes.sensorLogger.with("/payload/2/name", "\"\(name)\""))
        #expect(message.frames.contains { $0.stream == .deviceMotion })
    }

    @Test(arguments: [
        ("/deviceId", nil, RejectionReason.missingField, "/deviceId"), ("/deviceId", "7", .wrongType, "/deviceId"),
        ("/deviceId", "\"\"", .invalidValue, "/deviceId"), ("/sessionId", nil, .missingField, "/sessionId"),
        ("/sessionId", "[]", .wrongType, "/sessionId"), ("/messageId", nil, .missingField, "/messageId"),
        ("/messageId", "-1", .invalidValue, "/messageId"), ("/messageId", "1.5", .wrongType, "/messageId"),
        ("/messageId", "9007199254740992", .invalidValue, "/messageId"), ("/payload", "{}", .wrongType, "/payload"),
        ("/payload/1/values/gravityY", "NaN", .notFinite, "/payload/1/values/gravityY"),
    ])
    func `What is wrong is refused with its place`(
        place: String, written: String?, reason: RejectionReason, pointer: String
    ) throws {
        let rejection = #expect(throws: Rejection.self) {
            try decode(SampleEnvelopes.sensorLogger.with(place, written))
        }
        #expect(rejection?.reason == reason)
        #expect(rejection?.pointer == pointer)
        let isRead = place == "/payload"
        #expect((rejection?.boot != nil && rejection?.sequence != nil) == isRead)
    }

    @Test func `A payload without an envelope is rejected and counted`() throws {
        var app = SensorLoggerApp()
        var harness = try SensorLoggerPipeline.make()
        for payload in [#"{"message":"Hello from Sensor Logger"}"#, "Test", "[]", "", "42"] {
            let messages = harness.send(app.raw(at: start, payload))
            #expect(messages.allSatisfy { $0.topic == "fathom/test/rejected" })
        }
        #expect(harness.admission.rejected.values.reduce(0, +) == 5)
        #expect(harness.admission.rejected[.missingField] == 1)
        let messages = harness.send(
            app.messages(from: start, seconds: 2, headphones: SensorLoggerPipeline.head(seconds: 2)))
        #expect(SensorLoggerPipeline.transitions(messages) == ["connected@0.0"])
    }

    @Test func `A sender is identified by topic and id together`() throws {
        var harness = try SensorLoggerPipeline.make()
        var stranger = SensorLoggerApp()
        stranger.topic = "sensor-logger/bert"
        let messages = harness.send(
            stranger.messages(from: start, seconds: 2, headphones: SensorLoggerPipeline.head(seconds: 2)))
        #expect(messages.allSatisfy { $0.topic == "fathom/test/rejected" })
        #expect(harness.admission.rejected == [.unknownDevice: 2])
        #expect(harness.pipeline.deviceCount == 0)
    }

    @Test func `Readings of no use are counted by name, of so many names only`() throws {
        var app = SensorLoggerApp()
        var harness = try SensorLoggerPipeline.make()
        let known = ["barometer", "pedometer", "network", "annotation"].map { #"{"name":"\#($0)","time":1,"values":{}}"# }
        let hostile = (0..<100).map { index in
            let letters = "\(index)".map { ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"][Int(String($0)) ?? 0] }.joined()
            return #"{"name":"x\#(letters)"}"#
        }
        _ = harness.send(app.message(at: start, others: known))
        _ = harness.send(app.message(at: start + 1, others: known + hostile))
        let counts = harness.pipeline.counters.ignoredReadings.counts
        #expect(counts["barometer"] == 2 && counts["network"] == 2)
        #expect(counts.count == NameCounts.most)
        #expect(counts.values.reduce(0, +) == 108)
        #expect((harness.pipeline.counters.ignoredReadings + harness.pipeline.counters.ignoredReadings).counts.count == 32)
    }

    @Test(arguments: [
        (["topic": "a//b"], "sensorLogger"), (["topic": "a/{user}/{user}"], "sensorLogger"), (["topic": "a/b+"], "sensorLogger"),
        (["topics": "a"], "sensorLogger"),
    ])
    func `A section with a fault is reported`(section: [String: String], path: String) {
        let problem = #expect(throws: TreeProblem.self) {
            try PipelineHarness.settings(producer: "sensorLogger", section)
        }
        #expect(problem?.path == path)
    }
}

extension DecodedMessage {
    /// The same with the headphones' frame first.
    fileprivate var swappedToHeadphones: Self {
        var swapped = self
        swapped.content = .frames(frames.filter { $0.stream == .headphoneMotion })
        return swapped
    }
}
