import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

/// What a field that is mapped beside the depth, and cannot be read, does to the depth.
@Suite("Mapped fields beside a depth")
struct MappedBesideTests {
    private static let depth = "depth: {pointer: /d, unit: m}"
    private static let temperature = "temperature: {pointer: /c, unit: C}, temperatureUncertainty: {pointer: /u, unit: C}"
    private static let pressures = "pressure: {pointer: /p, unit: bar}, surfacePressure: {pointer: /a, unit: bar}"
    private static let all = "\(depth), \(pressures), \(temperature), submersionState: /s"
    private static let columns = ", layout: columns, time: {pointer: /t, unit: s, clock: uptime}"

    private static func producers(_ fields: String, _ more: String = "") throws -> Producers {
        try ProducersText.producers(
            "mappings: [{name: m, topic: 'm/{device}', stream: submersion\(more), fields: {\(fields)}}]")
    }

    private func submersion(_ message: DecodedMessage) throws -> DecodedSubmersion {
        guard case .submersion(let samples) = message.frames.first else { throw AnotherBody() }
        return samples
    }

    /// A message with every field, one of which is replaced, or removed by nil.
    private static func payload(_ key: String, _ spoiled: String?) -> String {
        var values = ["d": "39", "p": "5", "a": "1", "c": "9", "u": "1", "s": "300"]
        values[key] = spoiled
        let fields = values.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value)" }
        return "{\(fields.joined(separator: ", "))}"
    }

    static let unreadable: [(key: String, value: String?, reason: RejectionReason)] = [
        ("s", "700", .invalidValue), ("s", "7", .invalidValue), ("s", "\"deep\"", .invalidValue), ("s", "300.5", .wrongType),
        ("s", "{}", .wrongType), ("s", "[300, 300]", .columnLength), ("a", "\"ERR\"", .wrongType), ("a", nil, .missingField),
        ("a", "1e308", .invalidValue), ("p", "\"nan\"", .notFinite), ("p", nil, .missingField), ("p", "[5]", .wrongType),
        ("c", "\"ERR\"", .wrongType), ("c", "\"nan\"", .notFinite), ("u", "-1", .invalidValue), ("u", "true", .wrongType),
    ]

    @Test(
        "A field that cannot be read is left out and reported with its place, and the depth is read",
        arguments: unreadable.indices)
    func leftOut(index: Int) throws {
        let (key, value, reason) = Self.unreadable[index]
        let message = try ProducerDecoding.decode("m/d1", Self.payload(key, value), try Self.producers(Self.all))
        let samples = try submersion(message)
        let measurement = try #require(samples.measurements.first)
        #expect(samples.measurements.count == 1)
        #expect(measurement.depth == Quantity(39, .meters))
        #expect(measurement.submersionState == (key == "s" ? nil : DepthState.submergedDeep))
        #expect(measurement.pressure?.value == (key == "p" ? nil : 5.0))
        #expect(measurement.surfacePressure?.value == (key == "a" ? nil : 1.0))
        #expect(samples.temperatures.count == (key == "c" || key == "u" ? 0 : 1))
        #expect(message.passedOver.refused == 1)
        #expect(message.passedOver.refusal?.reason == reason)
        #expect(message.passedOver.refusal?.pointer == "/\(key)")
    }

    @Test(
        "A field that has no value is left out without a report",
        arguments: ["s", "a", "p", "c", "u"], ["null", "\"\"", "\"unavailable\"", "\"N/A\""])
    func blank(key: String, word: String) throws {
        let message = try ProducerDecoding.decode("m/d1", Self.payload(key, word), try Self.producers(Self.all))
        #expect(try submersion(message).measurements.first?.depth == Quantity(39, .meters))
        #expect(message.passedOver.refused == 0 && message.passedOver.report == nil)
    }

    static let noDepths: [(value: String?, reason: RejectionReason)] = [
        ("null", .notFinite), ("\"ERR\"", .wrongType), ("\"nan\"", .notFinite), (nil, .missingField),
    ]

    @Test("A depth that cannot be read is a rejection, whatever is beside it", arguments: noDepths.indices)
    func noDepth(index: Int) throws {
        let (value, reason) = Self.noDepths[index]
        let producers = try Self.producers(Self.all)
        let payload = Self.payload("d", value)
        for payload in [
            payload, payload.replacing("\"a\": 1", with: "\"a\": null"), payload.replacing("\"s\": 300", with: "\"s\": 700"),
        ] {
            let rejection = ProducerDecoding.rejection("m/d1", payload, producers)
            #expect(rejection?.reason == reason, "\(payload)")
            #expect(rejection?.pointer == "/d", "\(payload)")
        }
    }

    @Test(
        "A pressure that the depth is computed from is needed",
        arguments: [
            (#"{"p": 5, "a": null}"#, RejectionReason.notFinite, "/a"), (#"{"p": 5}"#, .missingField, "/a"),
            (#"{"p": "ERR", "a": 1}"#, .wrongType, "/p"), (#"{"p": null, "a": 1}"#, .notFinite, "/p"),
        ])
    func neededPressure(payload: String, reason: RejectionReason, pointer: String) throws {
        let rejection = ProducerDecoding.rejection("m/d1", payload, try Self.producers(Self.pressures))
        #expect(rejection?.reason == reason)
        #expect(rejection?.pointer == pointer)
    }

    @Test("A temperature that cannot be read is a rejection where it is all there is", arguments: ["\"ERR\"", "[9]", "\"nan\""])
    func temperatureAlone(value: String) throws {
        let rejection = ProducerDecoding.rejection("m/d1", #"{"c": \#(value), "u": 1}"#, try Self.producers(Self.temperature))
        #expect(rejection?.pointer == "/c")
    }

    @Test("Of columns only the samples that cannot be read lose a field, and each is counted")
    func inColumns() throws {
        let payload = """
            {"t": [1, 2, 3], "d": [3, 4, 5], "p": [1.5, true, 1.5], "a": 1, "c": [9, "ERR", 11], "u": [1, 1, -1],
             "s": [300, 700, ""]}
            """
        let message = try ProducerDecoding.decode("m/d1", payload, try Self.producers(Self.all, Self.columns))
        let samples = try submersion(message)
        #expect(samples.measurements.map { $0.depth?.value } == [3, 4, 5])
        #expect(samples.measurements.map { $0.submersionState?.rawValue } == [300, nil, nil])
        #expect(samples.measurements.map { $0.pressure?.value } == [1.5, nil, 1.5])
        #expect(samples.measurements.allSatisfy { $0.surfacePressure == nil })
        #expect(samples.temperatures.map(\.temperature.value) == [9])
        // p, s and c of the second sample, u of the third, and a, which is no column.
        #expect(message.passedOver.refused == 5)
        #expect(message.passedOver.refusal?.pointer == "/p/1")
    }

    @Test("A location that is blank is none; a word that names none is a rejection, as another location would be a handover")
    func location() throws {
        let fields = [("rotationRate", "rad/s"), ("acceleration", "G")].flatMap { name, unit in
            ["x", "y", "z"].map { "\(name).\($0): {pointer: /\(name)/\($0), unit: \(unit)}" }
        }
        let producers = try ProducersText.producers(
            "mappings: [{name: m, topic: 'm/{device}', stream: headphone-motion, "
                + "fields: {sensorLocation: /l, \(fields.joined(separator: ", "))}}]")
        let rest = #""rotationRate": {"x": 0, "y": 0, "z": 0}, "acceleration": {"x": 0, "y": 0, "z": -1}"#
        let message = try ProducerDecoding.decode("m/d1", #"{"l": "unavailable", \#(rest)}"#, producers)
        guard case .model(.headphoneMotion(let samples)) = message.frames.first else { throw AnotherBody() }
        #expect(samples.sensorLocation == [.default])
        #expect(ProducerDecoding.rejection("m/d1", #"{"l": "nose", \#(rest)}"#, producers)?.pointer == "/l")
    }

    @Test("A state that is newer than the gateway does not hide that the maximum depth is passed, and is reported and counted")
    func derived() throws {
        var harness = PipelineHarness(producers: try Self.producers("\(Self.depth), submersionState: /s"))
        let first = harness.send(mapped("m/d1", #"{"d": 39, "s": 400}"#, at: 1_763_749_000))
        #expect(first.last { $0.kind == "depth-state" }?.text("state") == "approachingMaxDepth")
        let second = harness.send(mapped("m/d1", #"{"d": 41, "s": 700}"#, at: 1_763_749_001))
        let state = try #require(second.last { $0.kind == "depth-state" })
        #expect(state.text("state") == "pastMaxDepth")
        #expect(state.text("quality") == "valid")
        #expect(second.contains { $0.kind == "alarm/past-limit" })
        let report = try #require(second.first { $0.kind == "rejected" })
        #expect(report.text("reason") == "invalidValue")
        #expect(report.text("pointer") == "/s")
        #expect(report.text("detail")?.hasPrefix("a reading is left out: found 700") == true)
        #expect(harness.pipeline.counters.refusedReadings == 1)
    }
}
