import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Mapped dates")
struct MappedDateTests {
    private static func producers(_ time: String, layout: String = "flat") throws -> Producers {
        try ProducersText.producers(
            "mappings: [{name: m, topic: 'm/{device}', stream: submersion, layout: \(layout), time: {pointer: /t, unit: iso8601\(time)}, "
                + "fields: {depth: {pointer: /d, unit: m}}}]")
    }

    @Test(
        "Dates as programs write them are unix times",
        arguments: [
            ("2025-11-21T18:16:40Z", 1_763_749_000), ("2025-11-21T18:16:40.25Z", 1_763_749_000.25),
            ("2025-11-21T19:16:40+01:00", 1_763_749_000), ("2025-11-21 12:46:40.5-05:30", 1_763_749_000.5),
        ])
    func zoned(text: String, seconds: Double) throws {
        for time in ["", ", clock: unix", ", zone: UTC", ", zone: '+09:00'"] {
            let message = try ProducerDecoding.decode("m/d1", #"{"d": 1, "t": "\#(text)"}"#, try Self.producers(time))
            #expect(message.header.uptime.seconds == seconds)
            #expect(message.header.sent?.seconds == seconds)
        }
    }

    @Test("A date without a zone, as Tasmota sends it, is of the mapping's zone, or rejected with the reason")
    func unzoned() throws {
        let payload = #"{"d": 1, "t": "2025-11-21T18:16:40"}"#
        for (zone, seconds) in [("UTC", 0.0), ("Z", 0), ("'+01:00'", -3600), ("'-0330'", 12_600)] {
            let message = try ProducerDecoding.decode("m/d1", payload, try Self.producers(", zone: \(zone)"))
            #expect(message.header.uptime.seconds == 1_763_749_000 + seconds)
        }
        let rejection = ProducerDecoding.rejection("m/d1", payload, try Self.producers(""))
        #expect(rejection?.reason == .invalidValue && rejection?.pointer == "/t")
        #expect(rejection?.detail.contains("names no zone") == true)
    }

    @Test("Columns have a date for each sample")
    func columns() throws {
        let producers = try Self.producers("", layout: "columns")
        let message = try ProducerDecoding.decode(
            "m/d1", #"{"d": [1, 2], "t": ["2025-11-21T18:16:40Z", "2025-11-21T18:16:41Z"]}"#, producers)
        #expect(message.header.uptime.seconds == 1_763_749_001)
        let wrong = ProducerDecoding.rejection("m/d1", #"{"d": [1, 2], "t": ["2025-11-21T18:16:40Z", "soon"]}"#, producers)
        #expect(wrong?.reason == .wrongType && wrong?.pointer == "/t/1")
        let empty = ProducerDecoding.rejection("m/d1", #"{"d": [], "t": []}"#, producers)
        #expect(empty?.reason == .columnLength)
    }

    @Test(
        "What is no date, and no date of a device, is rejected with its place",
        arguments: [
            ("1763749000", RejectionReason.wrongType), ("\"yesterday\"", .wrongType), ("\"2025-11-21\"", .wrongType),
            ("\"1999-11-21T18:16:40Z\"", .timeOutOfRange), ("[\"2025-11-21T18:16:40Z\"]", .wrongType),
            ("null", .missingField), ("\"unknown\"", .missingField),
            ("\"9999-99-99T99:99:99Z\"", .wrongType), ("\"2025-11-21T18:16:40+25:00\"", .wrongType),
        ])
    func noDates(time: String, reason: RejectionReason) throws {
        let rejection = ProducerDecoding.rejection("m/d1", #"{"d": 1, "t": \#(time)}"#, try Self.producers(""))
        #expect(rejection?.reason == reason)
        #expect(rejection?.pointer == "/t")
    }

    @Test(
        "A mapping that contradicts itself is a problem",
        arguments: [
            ("clock: uptime", "but a date is a unix time"), ("origin: /o", "a date has its own"),
            ("zone: Berlin", "an offset as +01:00"),
        ])
    func problems(time: String, part: String) throws {
        let problems = try ProducersText.problems(
            "mappings: [{name: m, topic: 'm/{device}', stream: submersion, time: {pointer: /t, unit: iso8601, \(time)}, "
                + "fields: {depth: {pointer: /d, unit: m}}}]")
        #expect(problems.count == 1 && problems[0].contains(part), "\(problems)")
        let number = try ProducersText.problems(
            "mappings: [{name: m, topic: 'm/{device}', stream: submersion, time: {pointer: /t, unit: s, clock: unix, zone: UTC}, "
                + "fields: {depth: {pointer: /d, unit: m}}}]")
        #expect(number == ["mappings[0].time.zone is for unit: iso8601"])
    }
}

@Suite("Mapped pressures without one of the air")
struct MappedLearnedTests {
    private static func producers(_ rest: String) -> String {
        "mappings: [{name: m, topic: 'm/{device}', stream: submersion, fields: {\(rest)}}]"
    }
    private static let pressure = "pressure: {pointer: /p, unit: hPa}"

    @Test("The gateway learns the pressure of the air, and gives the depth of a payload of pressures alone")
    func learned() throws {
        let producers = try ProducersText.producers(Self.producers("\(Self.pressure), surfacePressure: {learned: true}"))
        let message = try ProducerDecoding.decode("m/d1", #"{"p": 1500}"#, producers)
        guard case .submersion(let samples) = message.frames.first else { throw AnotherBody() }
        #expect(samples.measurements.first?.learnsSurface == true)
        #expect(samples.measurements.first?.surfacePressure == nil)
        let scalar = try ProducersText.producers(
            "mappings: [{name: m, topic: 'm/{device}', stream: submersion, layout: scalar, fields: "
                + "{pressure: {pointer: value, unit: hPa}, surfacePressure: {learned: true}}}]")
        #expect(try ProducerDecoding.decode("m/d1", "1500", scalar).frames.count == 1)
        #expect(ProducerDecoding.rejection("m/d1", "None", scalar)?.reason == .notFinite)
    }

    @Test(
        "Nothing else can be learned",
        arguments: [
            ("pressure: {learned: true}", "is for surfacePressure"),
            ("pressure: {pointer: /p, unit: hPa}, surfacePressure: {learned: false}", "must be true"),
            (
                "pressure: {pointer: /p, unit: hPa}, surfacePressure: {learned: true, unit: hPa}",
                "is given to what is to be learned"
            ),
            ("depth: {pointer: /d, unit: m}, surfacePressure: {learned: true}", "is learned of a pressure"),
            (
                "depth: {pointer: /d, unit: m}, pressure: {pointer: /p, unit: hPa}, surfacePressure: {learned: true}",
                "is learned of a pressure"
            ),
        ])
    func problems(fields: String, part: String) throws {
        let problems = try ProducersText.problems(Self.producers(fields))
        #expect(problems.contains { $0.contains(part) }, "\(problems)")
    }
}
