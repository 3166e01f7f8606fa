import GatewayPipeline
import Testing

@Suite("Invalid mappings")
struct MappedProblemTests {
    private static let depth = "fields: {depth: {pointer: /d, unit: m}}"
    private static let good = "name: m, topic: 'm/{device}', stream: submersion"

    private static let altimeter = "name: m, topic: 'm/{device}', stream: altimeter"
    private static let altitude = "altitude: {pointer: /a, unit: m}"
    private static let pedometer = "name: m, topic: 'm/{device}', stream: pedometer"

    private static let attitude = "attitude.x: /x, attitude.y: /y, attitude.z: /z, attitude.w: /w"
    private static let motion = "name: m, topic: 'm/{device}', stream: device-motion"
    private static let scalarDepth = "layout: scalar, fields: {depth: {pointer: value, unit: m}"
    private static let uncertain = "temperatureUncertainty: {constant: 1, unit: C}"
    private static let pressure = "pressure: {pointer: /p, unit: kPa}"

    private static func vector(_ name: String, _ unit: String) -> String {
        ["x", "y", "z"].map { "\(name).\($0): {pointer: /\(name)/\($0), unit: \(unit)}" }.joined(separator: ", ")
    }
    private static let raw = "\(vector("acceleration", "mg")), \(vector("rotationRate", "deg/s"))"

    static let cases: [(table: String, path: String, part: String)] = [
        ("topic: 'm/{device}', stream: submersion, \(depth)", "mappings", "needs a name"),
        ("name: a b, topic: 'm/{device}', stream: submersion, \(depth)", "mappings.name", "must be 1 to 64"),
        ("name: m, stream: submersion, \(depth)", "mappings", "needs a topic"),
        ("name: m, topic: 'm/#/{device}', stream: submersion, \(depth)", "mappings.topic", "has # elsewhere"),
        ("name: m, topic: m/x, stream: submersion, \(depth)", "mappings.topic", "has no level {device}"),
        ("name: m, topic: 'm/{device}', device: d1, stream: submersion, \(depth)", "mappings.device", "is given, and the topic"),
        ("name: m, topic: m/x, device: 'd:1', stream: submersion, \(depth)", "mappings.device", "must be 1 to 64"),
        ("name: m, topic: 'm/{device}', \(depth)", "mappings", "needs a stream"),
        (
            "name: m, topic: 'm/{device}', stream: status, \(depth)",
            "mappings.stream", "expected headphone-motion, device-motion, submersion, altimeter or pedometer"
        ),
        ("\(good), layout: nested, \(depth)", "mappings.layout", "expected flat, columns or scalar"),
        ("\(good), layout: columns, \(depth)", "mappings", "needs a time"),
        (
            "\(good), layout: scalar, time: {pointer: /t, unit: s, clock: unix}, fields: {depth: {pointer: value, unit: m}}",
            "mappings.time", "points into a payload that is one number"
        ),
        (
            "\(good), layout: scalar, boot: /b, fields: {depth: {pointer: value, unit: m}}",
            "mappings.boot", "points into a payload"
        ),
        ("\(good), layout: scalar, fields: {depth: {pointer: /d, unit: m}}", "mappings.fields.depth.pointer", "must be value"),
        ("\(motion), layout: scalar, fields: {\(attitude)}", "mappings.layout", "too little"),
        ("\(good), time: {unit: s, clock: unix}, \(depth)", "mappings.time", "needs a pointer"),
        ("\(good), time: {pointer: /t, clock: unix}, \(depth)", "mappings.time", "needs a unit"),
        (
            "\(good), time: {pointer: /t, unit: h, clock: unix}, \(depth)", "mappings.time.unit",
            "expected s, ms, us, ns or iso8601"
        ),
        ("\(good), time: {pointer: /t, unit: s}, \(depth)", "mappings.time", "needs a clock"),
        ("\(good), time: {pointer: /t, unit: s, clock: sun}, \(depth)", "mappings.time.clock", "expected unix or uptime"),
        ("\(good), time: {pointer: t, unit: s, clock: unix}, \(depth)", "mappings.time.pointer", "must be a JSON pointer"),
        (
            "\(good), time: {pointer: /t, unit: s, clock: uptime, origin: /o}, \(depth)",
            "mappings.time.origin", "but the clock is uptime"
        ),
        ("\(good), time: {pointer: /t, unit: s, clock: unix, place: x}, \(depth)", "mappings.time.place", "is not a key here"),
        ("\(good), seq: /n, \(depth)", "mappings.seq", "is not for submersion"),
        ("\(good), boot: 'b', \(depth)", "mappings.boot", "must be a JSON pointer"),
        ("\(good), convention: measured, \(depth)", "mappings.convention", "is for motion"),
        ("\(good), convention: guessed, \(depth)", "mappings.convention", "expected known or measured"),
        ("\(good), colour: red, \(depth)", "mappings.colour", "is not a key here"),
        ("\(good)", "mappings", "needs fields"),
        ("\(good), fields: /d", "mappings.fields", "must hold components"),
        (
            "\(altimeter), fields: {altitude: {pointer: /a, unit: m}}", "mappings.fields",
            "altitude, accuracy and precision together"
        ),
        ("\(altimeter), fields: {}", "mappings.fields", "needs a relativeAltitude, a pressure or an altitude"),
        ("\(altimeter), fields: {depth: {pointer: /a, unit: m}}", "mappings.fields.depth", "is no component of altimeter"),
        (
            "\(altimeter), fields: {relativeAltitude: {pointer: /a, unit: m, sign: -1}}", "mappings.fields.relativeAltitude.sign",
            "is for depth and motion"
        ),
        ("\(pedometer), fields: {distance: {pointer: /a, unit: m}}", "mappings.fields", "lacks numberOfSteps"),
        ("\(pedometer), fields: {numberOfSteps: {pointer: /a, unit: m}}", "mappings.fields.numberOfSteps.unit", "has none"),
        ("\(pedometer), convention: measured, fields: {numberOfSteps: /a}", "mappings.convention", "is for motion"),
        ("\(good), fields: {dept: {pointer: /d, unit: m}}", "mappings.fields.dept", "is no component of submersion"),
        ("\(good), fields: {gravity.x: {pointer: /d, unit: G}}", "mappings.fields.gravity.x", "is no component of submersion"),
        ("\(good), fields: {depth: /d}", "mappings.fields.depth", "needs a unit: {pointer: /d, unit: m or ft}"),
        ("\(good), fields: {depth: {pointer: /d}}", "mappings.fields.depth", "needs a unit: m or ft"),
        ("\(good), fields: {depth: {pointer: /d, unit: kPa}}", "mappings.fields.depth.unit", "is kPa, a unit of a pressure"),
        ("\(good), fields: {depth: {pointer: /d, unit: fathom}}", "mappings.fields.depth.unit", "which is not known"),
        ("\(good), fields: {depth: {pointer: d, unit: m}}", "mappings.fields.depth.pointer", "must be a JSON pointer"),
        ("\(good), fields: {depth: {pointer: '/d~2', unit: m}}", "mappings.fields.depth.pointer", "must be a JSON pointer"),
        ("\(good), fields: {depth: {pointer: value, unit: m}}", "mappings.fields.depth.pointer", "value is for a scalar payload"),
        ("\(good), fields: {depth: {unit: m}}", "mappings.fields.depth", "needs either a pointer or a constant"),
        ("\(good), fields: {depth: {constant: 3, unit: m}}", "mappings.fields.depth.constant", "is no measurement"),
        ("\(good), fields: {depth: {pointer: /d, unit: m, sign: 2}}", "mappings.fields.depth.sign", "must be 1 or -1"),
        ("\(good), fields: {depth: {pointer: /d, unit: m, sign: up}}", "mappings.fields.depth.sign", "must be a number"),
        ("\(good), fields: {depth: {pointer: /d, unit: m, scale: 2}}", "mappings.fields.depth.scale", "is not a key here"),
        ("\(good), fields: {\(pressure)}", "mappings.fields", "lacks surfacePressure"),
        (
            "\(good), fields: {pressure: {pointer: /p, unit: kPa, sign: -1}, surfacePressure: {constant: 100, unit: kPa}}",
            "mappings.fields.pressure.sign", "is for depth and motion"
        ),
        (
            "\(good), fields: {\(pressure), surfacePressure: {constant: 1013, unit: kPa}}",
            "mappings.fields.surfacePressure", "the pressure of air is 30 to 110 kPa"
        ),
        (
            "\(good), fields: {temperature: {pointer: /t, unit: C}, temperatureUncertainty: {constant: -1, unit: C}}",
            "mappings.fields.temperatureUncertainty", "is -1.0, expected 0 or more: no temperature would be read"
        ),
        (
            "\(altimeter), fields: {\(altitude), accuracy: {constant: -1, unit: m}, precision: {constant: 1, unit: m}}",
            "mappings.fields.accuracy", "is -1.0 m, expected 0 to 9500.0 m: no altitude would be read"
        ),
        (
            "\(altimeter), fields: {\(altitude), accuracy: {constant: 1, unit: m}, precision: {constant: 40000, unit: ft}}",
            "mappings.fields.precision", "expected 0 to 9500.0 m"
        ),
        (
            "\(good), fields: {\(pressure), surfacePressure: {pointer: /p, unit: kPa}}",
            "mappings.fields.surfacePressure", "every depth would be 0"
        ),
        ("\(good), \(scalarDepth), temperature: {pointer: value, unit: C}, \(uncertain)}", "mappings.fields", "more than once"),
        (
            "\(good), fields: {surfacePressure: {constant: 100, unit: kPa}}",
            "mappings.fields", "needs a depth, a pressure or a temperature"
        ),
        (
            "\(good), fields: {temperature: {pointer: /t, unit: C}}",
            "mappings.fields", "needs temperature and temperatureUncertainty"
        ),
        ("\(motion), fields: {\(attitude)}", "mappings.fields", "lacks gravity.z"),
        ("\(motion), fields: {attitude.x: /x}", "mappings.fields", "lacks attitude.w"),
        (
            "\(motion), fields: {attitude.x: {pointer: /x, unit: G}}",
            "mappings.fields.attitude.x.unit", "is given to what has none"
        ),
        (
            "\(motion), convention: measured, fields: {gravity.x: {pointer: /x, unit: G}}",
            "mappings.fields.gravity.x.unit", "is given to what is to be measured"
        ),
        (
            "\(motion), convention: measured, fields: {gravity.x: {pointer: /x, sign: -1}}",
            "mappings.fields.gravity.x.sign", "is given to what is to be measured"
        ),
        (
            "\(motion), fields: {\(raw), attitude.x: /q, gravity.z: {pointer: /g, unit: G}}", "mappings.fields.acceleration.x",
            "stands in place of attitude, userAcceleration and gravity, but there is attitude.x, gravity.z; leave out one"
        ),
        (
            "\(motion), fields: {\(vector("acceleration", "G"))}", "mappings.fields",
            "lacks rotationRate.x; device-motion needs it"
        ),
        (
            "\(motion), fields: {\(vector("rotationRate", "deg/s")), acceleration.x: {pointer: /x, unit: G}}", "mappings.fields",
            "lacks acceleration.z"
        ),
        (
            "\(motion), fields: {\(vector("rotationRate", "deg/s"))}", "mappings.fields",
            "lacks attitude, userAcceleration and gravity, or acceleration in their place"
        ),
        ("\(motion), fields: {\(raw), magneticField.x: {pointer: /m, unit: uT}}", "mappings.fields", "lacks magneticField.z"),
        (
            "\(motion), fields: {\(raw.replacing("acceleration/y", with: "acceleration/x"))}", "mappings.fields.acceleration.y",
            "is the same field as acceleration.x"
        ),
        (
            "\(motion), fields: {\(attitude), \(vector("magneticField", "uT"))}", "mappings.fields.magneticField.x",
            "is used with acceleration only"
        ),
        (
            "\(motion), convention: measured, fields: {\(raw)}", "mappings.convention",
            "name its unit and sign, and leave this out"
        ),
        (
            "\(motion), convention: measured, fields: {acceleration.x: /x}", "mappings.fields.acceleration.x",
            "needs a unit: {pointer: /x, unit: G, m/s2 or mg}"
        ),
        ("\(motion), fields: {acceleration.x: /x}", "mappings.fields.acceleration.x", "needs a unit"),
        (
            "\(motion), fields: {acceleration.x: {pointer: /x, unit: gauss}}", "mappings.fields.acceleration.x.unit",
            "is gauss, a unit of a magnetic field; acceleration.x is in G, m/s2 or mg"
        ),
        (
            "\(motion), fields: {magneticField.x: {pointer: /x, unit: mG}}", "mappings.fields.magneticField.x.unit",
            "is \"mG\", which is not known; magneticField.x is in uT, nT, gauss or mgauss"
        ),
        (
            "\(motion), fields: {acceleration.x: {constant: 1, unit: G}}", "mappings.fields.acceleration.x.constant",
            "is no measurement"
        ),
        (
            "\(motion), fields: {sensorLocation: {constant: nose}}",
            "mappings.fields.sensorLocation.constant", "expected default, headphoneLeft or headphoneRight"
        ),
    ]

    @Test("Each is reported by its key path and a sentence", arguments: cases.indices)
    func problem(index: Int) throws {
        let (table, path, part) = Self.cases[index]
        let problems = try ProducersText.problems("mappings: {\(table)}")
        #expect(problems.contains { $0.hasPrefix("\(path) ") && $0.contains(part) }, "\(problems) of \(table)")
    }

    @Test("Two mappings cannot have one name, nor one topic")
    func twice() throws {
        let rest = "stream: submersion, \(Self.depth)"
        let names = try ProducersText.problems(
            "mappings: [{name: m, topic: 'a/{device}', \(rest)}, {name: m, topic: 'b/{device}', \(rest)}]")
        #expect(names == ["mappings[1] has the name of another mapping, 'm'"])
        for (one, other) in [("a/{device}", "a/{device}"), ("a/{device}", "{device}/b"), ("{device}/#", "a/b/{device}")] {
            let topics = try ProducersText.problems(
                "mappings: [{name: m, topic: '\(one)', \(rest)}, {name: n, topic: '\(other)', \(rest)}]")
            #expect(topics == ["mappings[1] has topics that are those of 'm' too: a topic can have one mapping"])
        }
        #expect(
            try ProducersText.problems(
                "mappings: [{name: m, topic: 'a/{device}', \(rest)}, {name: n, topic: 'a/{device}/c', \(rest)}]"
            ).isEmpty)
    }

    @Test("A section that is not a list of tables is reported, and claims no topic")
    func noTables() throws {
        #expect(try ProducersText.problems("mappings: yes") == ["mappings must hold keys and values"])
        #expect(try ProducersText.problems("mappings: [a, []]").count == 2)
    }
}
