import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

/// Payloads in which arrays, single values, empty arrays and unequal lengths are mixed in every way.
@Suite("Shapes of mapped payloads")
struct MappedShapeTests {
    private static let values = [
        "1", "null", "\"1\"", "[]", "[1]", "[1, 2]", "[1, 2, 3]", "[null]", "[1, null]", "[[1, 2]]", "{}", "\"\"", "true",
    ]
    private static let words = [
        "\"left\"", "\"submergedShallow\"", "[\"submergedShallow\"]", "[\"submergedShallow\", \"submergedDeep\"]",
    ]

    private static func producers(layout: String, timed: Bool) throws -> Producers {
        let time = timed ? ", time: {pointer: /t, unit: s, clock: uptime}" : ""
        return try ProducersText.producers(
            "mappings: [{name: m, topic: 'm/{device}', stream: submersion, layout: \(layout)\(time), fields: "
                + "{depth: {pointer: /d, unit: m}, pressure: {pointer: /p, unit: kPa}, surfacePressure: {constant: 100, unit: kPa}, "
                + "temperature: {pointer: /c, unit: C}, temperatureUncertainty: {pointer: /u, unit: C}, submersionState: /s}}]")
    }

    @Test("A flat payload whose time is an array is refused, with the place", arguments: ["[1, 2]", "[1]", "[]"])
    func flatTime(time: String) throws {
        let producers = try Self.producers(layout: "flat", timed: true)
        let rejection = ProducerDecoding.rejection("m/d1", #"{"t": \#(time), "d": 3, "p": 130, "c": 9, "u": 1}"#, producers)
        #expect(rejection?.reason == .wrongType)
        #expect(rejection?.pointer == "/t")
    }

    @Test(
        "A value of a flat payload that is an array is refused, with the place; beside a depth it is left out",
        arguments: ["d", "p", "c", "u"])
    func flatColumn(key: String) throws {
        let producers = try Self.producers(layout: "flat", timed: true)
        let payload = #"{"t": 1, "d": 3, "p": 130, "c": 9, "u": 1}"#.replacing(
            "\"\(key)\": ", with: "\"\(key)\": [1, 2], \"was\": ")
        let rejection =
            key == "d"
            ? ProducerDecoding.rejection("m/d1", payload, producers)
            : try ProducerDecoding.decode("m/d1", payload, producers).passedOver.refusal
        #expect(rejection?.reason == .wrongType)
        #expect(rejection?.pointer == "/\(key)")
    }

    @Test(
        "Every mix of shapes is read as many samples as it has times, or refused", .slow,
        arguments: [("flat", true), ("flat", false), ("columns", true)])
    func mixes(layout: String, timed: Bool) throws {
        let decoder = MessageDecoder(producers: try Self.producers(layout: layout, timed: timed))
        var read = 0
        for time in Self.values {
            for depth in Self.values {
                for other in Self.values {
                    for state in Self.words + ["1", "[]"] {
                        let payload =
                            #"{"t": \#(time), "d": \#(depth), "p": \#(other), "c": \#(other), "u": \#(depth), "s": \#(state)}"#
                        guard let frames = try? Self.decode(payload, decoder).frames else { continue }
                        guard case .submersion(let samples) = frames.first else { throw AnotherBody() }
                        #expect((1...(layout == "flat" ? 1 : 3)).contains(samples.measurements.count))
                        read += 1
                    }
                }
            }
        }
        #expect(read > 0)
    }

    @Test("Every mix of shapes of a motion mapping is read or refused", .slow, arguments: ["flat", "columns"])
    func motion(layout: String) throws {
        let components = ["attitude.x", "attitude.y", "attitude.z", "gravity.x", "gravity.y", "gravity.z"]
        let rates = ["x", "y", "z"].map { "rotationRate.\($0): {pointer: /r\($0), unit: rad/s}" }
        let accelerations = ["userAcceleration.x", "userAcceleration.y", "userAcceleration.z"].map {
            "\($0): {pointer: /a\($0.suffix(1)), unit: G}"
        }
        let fields =
            components.prefix(3).map { "\($0): /q\($0.suffix(1))" } + ["attitude.w: /w", "sensorLocation: /l"]
            + components.suffix(3).map { "\($0): {pointer: /g\($0.suffix(1)), unit: G}" } + rates + accelerations
        let producers = try ProducersText.producers(
            "mappings: [{name: m, topic: 'm/{device}', stream: device-motion, layout: \(layout), "
                + "time: {pointer: /t, unit: s, clock: uptime}, fields: {\(fields.joined(separator: ", "))}}]")
        let decoder = MessageDecoder(producers: producers)
        let locations = ["\"headphoneLeft\"", "[\"default\"]", "[\"default\", \"default\"]", "null", "[]"]
        var read = 0
        for time in Self.values {
            for value in Self.values {
                for unit in ["1", "[1]", "[1, 1]", "[1, 1, 1]"] {
                    for zero in ["0", "[0]", "[0, 0]", "[0, 0, 0]"] {
                        for location in locations {
                            let axes = ["x", "y", "z"].flatMap { axis in
                                ["\"q\(axis)\": \(zero)"] + ["g", "r", "a"].map { "\"\($0)\(axis)\": \(value)" }
                            }
                            let payload =
                                #"{"t": \#(time), "w": \#(unit), \#(axes.joined(separator: ", ")), "l": \#(location)}"#
                            guard let frames = try? Self.decode(payload, decoder).frames else { continue }
                            guard case .model(.deviceMotion(let samples)) = frames.first else { throw AnotherBody() }
                            #expect(samples.attitude.count == samples.count && samples.gravity.x.count == samples.count)
                            #expect([1, samples.count].contains(samples.sensorLocation.count))
                            read += 1
                        }
                    }
                }
            }
        }
        #expect(read > 0)
    }

    private static func decode(_ payload: String, _ decoder: MessageDecoder) throws(Rejection) -> DecodedMessage {
        try decoder.decode(
            InboundMessage(topic: "m/d1", payload: Array(payload.utf8)), stream: nil, received: .at(ProducerDecoding.received))
    }
}
