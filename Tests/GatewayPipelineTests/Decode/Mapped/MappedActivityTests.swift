import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Mapped altitude and steps")
struct MappedActivityTests {
    private static func mapping(_ stream: String, _ fields: String, _ more: String = "") -> String {
        "mappings: [{name: m, topic: 'm/{device}', stream: \(stream)\(more), fields: {\(fields)}}]"
    }

    private static let columns = ", layout: columns, time: {pointer: /t, unit: s, clock: unix}"

    private func body(_ mapping: String, _ payload: String) throws -> DecodedBody {
        let message = try ProducerDecoding.decode("m/d1", payload, try ProducersText.producers(mapping))
        return try #require(message.frames.first)
    }

    private func altitudes(_ fields: String, _ payload: String, _ more: String = columns) throws -> AltimeterSamples {
        guard case .model(.altimeter(let samples)) = try body(Self.mapping("altimeter", fields, more), payload) else {
            throw AnotherBody()
        }
        return samples
    }

    private func steps(_ fields: String, _ payload: String, _ more: String = columns) throws -> PedometerSamples {
        guard case .model(.pedometer(let samples)) = try body(Self.mapping("pedometer", fields, more), payload) else {
            throw AnotherBody()
        }
        return samples
    }

    @Test func `Columns of altitude and pressure are read in their units, and a sample with a null is left out`() throws {
        let samples = try altitudes(
            "relativeAltitude: {pointer: /h, unit: ft}, pressure: {pointer: /p, unit: hPa}",
            #"{"t": [1763749000, 1763749001, 1763749002], "h": [0, null, 10], "p": [1013.25, 1013, 1012]}"#)
        #expect(samples.timestamp == [1_763_749_000, 1_763_749_002])
        #expect(abs((samples.relativeAltitude?.last ?? 0) - 3.048) < 1e-12)
        #expect(samples.pressure == [101.325, 101.2])
        #expect(samples.absolute == nil)
    }

    @Test func `Altitude over the sea may have a constant accuracy`() throws {
        let samples = try altitudes(
            "altitude: {pointer: /a, unit: m}, accuracy: {constant: 3, unit: m}, precision: {constant: 1, unit: m}",
            #"{"t": [1763749000, 1763749001], "a": [412, 413.5]}"#)
        #expect(samples.timestamp.isEmpty)
        #expect(
            samples.absolute
                == AbsoluteAltitudeSamples(
                    timestamp: [1_763_749_000, 1_763_749_001], altitude: [412, 413.5], accuracy: [3, 3], precision: [1, 1]))
    }

    @Test func `Altitude over the sea beside pressures that are all null has no column of pressure`() throws {
        let samples = try altitudes(
            """
            altitude: {pointer: /a, unit: m}, accuracy: {constant: 3, unit: m}, precision: {constant: 1, unit: m}, \
            pressure: {pointer: /p, unit: hPa}
            """, #"{"t": [1763749000, 1763749001], "a": [412, 413.5], "p": [null, null]}"#)
        #expect(samples.timestamp.isEmpty)
        #expect(samples.pressure == nil)
        #expect(AltitudeDerivation.events(of: [.samples(samples)], AltitudeSettings()).contains { $0.body is Altitude })
    }

    @Test func `A bare pressure is an altimeter, and a bare number of steps a pedometer`() throws {
        #expect(
            try altitudes("pressure: {pointer: value, unit: mbar}", "1013.25", ", layout: scalar").pressure == [101.325])
        #expect(try steps("numberOfSteps: value", "4711", ", layout: scalar").data.map(\.steps) == [4711])
    }

    @Test func `Steps are counts of a counter without a start, whose sender reports no pauses`() throws {
        let samples = try steps(
            "numberOfSteps: /n, distance: {pointer: /d, unit: m}, floorsAscended: /f",
            #"{"t": [1763749002, 1763749001, 1763749003], "n": [12, "10", null], "d": [9.5, null, 11], "f": [1, 0, 1]}"#)
        #expect(samples.tracksEvents == false)
        #expect(samples.data.map(\.end.seconds) == [1_763_749_001, 1_763_749_002])
        #expect(samples.data.map(\.steps) == [10, 12])
        #expect(samples.data.map(\.distance) == [nil, 9.5])
        #expect(samples.data.map(\.floorsAscended) == [0, 1])
        #expect(samples.data.allSatisfy { $0.startDate == nil })
    }

    @Test(arguments: [
        ("altimeter", "pressure: {pointer: /p, unit: kPa}", #"{"t": [1763749000], "p": [1013]}"#, RejectionReason.invalidValue),
        ("altimeter", "relativeAltitude: {pointer: /p, unit: m}", #"{"t": [1763749000], "p": [1e5]}"#, .invalidValue),
        ("altimeter", "pressure: {pointer: /p, unit: kPa}", #"{"t": [1763749000], "p": [null]}"#, .missingField),
        (
            "altimeter", "pressure: {pointer: /p, unit: kPa}", #"{"t": [1763749001, 1763749000], "p": [100, 100]}"#,
            .timestampOrder
        ),
        ("pedometer", "numberOfSteps: /p", #"{"t": [1763749000], "p": [-1]}"#, .invalidValue),
        ("pedometer", "numberOfSteps: /p", #"{"t": [1763749000], "p": [1e300]}"#, .invalidValue),
        ("pedometer", "numberOfSteps: /p", #"{"t": [1763749000], "p": [null]}"#, .missingField),
        (
            "altimeter", "altitude: {pointer: /p, unit: m}, accuracy: {pointer: /a, unit: m}, precision: {constant: 1, unit: m}",
            #"{"t": [1763749000], "p": [412], "a": [-1]}"#, .invalidValue
        ),
    ])
    func `Values that no sensor measures are refused`(
        stream: String, fields: String, payload: String, reason: RejectionReason
    ) throws {
        let producers = try ProducersText.producers(Self.mapping(stream, fields, Self.columns))
        let rejection = #expect(throws: Rejection.self) { try ProducerDecoding.decode("m/d1", payload, producers) }
        #expect(rejection?.reason == reason)
    }

    @Test(arguments: [
        (#""d": [-1], "f": [1]"#, RejectionReason.invalidValue, "/d"), (#""d": ["ERR"], "f": [1]"#, .wrongType, "/d/0"),
        (#""d": [1, 2], "f": [1]"#, .columnLength, "/d"), (#""f": [1]"#, .missingField, "/d"),
    ])
    func `A distance that cannot be read costs neither the steps nor the floors, and is reported`(
        rest: String, reason: RejectionReason, pointer: String
    ) throws {
        let producers = try ProducersText.producers(
            Self.mapping("pedometer", "numberOfSteps: /n, distance: {pointer: /d, unit: m}, floorsAscended: /f", Self.columns))
        let message = try ProducerDecoding.decode("m/d1", #"{"t": [1763749000], "n": [12], \#(rest)}"#, producers)
        guard case .model(.pedometer(let samples)) = message.frames.first else { throw AnotherBody() }
        let data = try #require(samples.data.first)
        #expect(data.steps == 12 && data.distance == nil && data.floorsAscended == 1)
        #expect(message.passedOver.refused == 1)
        #expect(message.passedOver.refusal?.reason == reason)
        #expect(message.passedOver.refusal?.pointer == pointer)
    }

    @Test(arguments: [
        (#""p": [101], "a": [412], "c": [-1]"#, true, "/c"), (#""p": [101], "a": [412]"#, true, "/c"),
        (#""p": [9], "a": [412], "c": [3]"#, false, "/p"),
    ])
    func `Altitude over the sea and pressure do not cost one another, and what is left out is reported`(
        rest: String, isPressure: Bool, pointer: String
    ) throws {
        let fields =
            "pressure: {pointer: /p, unit: kPa}, altitude: {pointer: /a, unit: m}, accuracy: {pointer: /c, unit: m}, "
            + "precision: {constant: 1, unit: m}"
        let producers = try ProducersText.producers(Self.mapping("altimeter", fields, Self.columns))
        let message = try ProducerDecoding.decode("m/d1", #"{"t": [1763749000], \#(rest)}"#, producers)
        guard case .model(.altimeter(let samples)) = message.frames.first else { throw AnotherBody() }
        #expect(samples.pressure == (isPressure ? [101.0] : nil))
        #expect(samples.absolute?.altitude == (isPressure ? nil : [412.0]))
        #expect(message.passedOver.refusal?.pointer == pointer)
    }

    @Test func `Mapped steps and pressures become paces and altitudes`() throws {
        let text = """
            mappings:
            - {name: steps, topic: 's/{device}', stream: pedometer, time: {pointer: /t, unit: s, clock: unix}, \
            fields: {numberOfSteps: /n, distance: {pointer: /d, unit: m}}}
            - {name: air, topic: 'a/{device}', stream: altimeter, time: {pointer: /t, unit: s, clock: unix}, \
            fields: {pressure: {pointer: /p, unit: hPa}}}
            """
        var harness = PipelineHarness(producers: try ProducersText.producers(text))
        var messages: [DerivedJSON] = []
        let start = 1_763_749_000.0
        for second in 0...60 {
            let time = start + Double(second)
            let (moved, pressure) = (min(second, 40), 1000 - Double(second) * 0.12)
            for (topic, payload) in [
                ("s/d1", #"{"t": \#(time), "n": \#(moved * 3), "d": \#(moved * 4)}"#),
                ("a/d1", #"{"t": \#(time), "p": \#(pressure)}"#),
            ] {
                messages += harness.send(
                    RecordedMessage(at: time + 0.1, message: InboundMessage(topic: topic, payload: Array(payload.utf8))))
            }
        }
        #expect(messages.last { $0.kind == "pace" }?.text("state") == "paused")
        #expect(messages.last { $0.kind == "pace" }?.number("distance") == 160)
        #expect(messages.filter { $0.kind == "segment" }.compactMap { $0.number("duration") } == [40])
        #expect((messages.last { $0.kind == "altitude" }?.number("ascent") ?? 0) > 50)
        #expect(messages.allSatisfy { $0.kind != "rejected" })
    }
}
