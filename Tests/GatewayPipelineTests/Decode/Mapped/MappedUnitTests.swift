import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Units of mapped fields")
struct MappedUnitTests {
    static func submersion(_ fields: String, time: String = "") -> String {
        "mappings: [{name: m, topic: 'm/{device}', stream: submersion\(time), fields: {\(fields)}}]"
    }

    private func samples(_ fields: String, _ payload: String) throws -> DecodedSubmersion {
        let producers = try ProducersText.producers(Self.submersion(fields))
        let message = try ProducerDecoding.decode("m/d1", payload, producers)
        guard case .submersion(let samples) = message.frames.first else { throw AnotherBody() }
        return samples
    }

    @Test(
        "Depths keep their unit for the unit rules",
        arguments: [("m", 1, 3.2), ("ft", 1, 0.97536), ("m", -1, -3.2)])
    func depth(unit: String, sign: Int, meters: Double) throws {
        let samples = try samples("depth: {pointer: /d, unit: \(unit), sign: \(sign)}", #"{"d": 3.2}"#)
        let depth = try #require(samples.measurements.first?.depth)
        #expect(abs(depth.meters - meters) < 1e-12)
    }

    @Test(
        "Pressures of every unit are distinguished",
        arguments: [("Pa", 132_550), ("hPa", 1325.5), ("mbar", 1325.5), ("kPa", 132.55), ("bar", 1.3255), ("psi", 19.22475)])
    func pressure(unit: String, value: Double) throws {
        let samples = try samples(
            "pressure: {pointer: /a/p~1q/1, unit: \(unit)}, surfacePressure: {pointer: /s, unit: hPa}",
            #"{"a": {"p/q": [0, "\#(value)"]}, "s": 1000}"#)
        let pressure = try #require(samples.measurements.first?.pressure)
        #expect(abs(pressure.kilopascals - 132.55) < 1e-4)
        #expect(samples.measurements.first?.surfacePressure?.kilopascals == 100)
    }

    @Test(
        "Temperatures of every scale, uncertain by scale alone",
        arguments: [("C", 10.0, 0.9), ("F", 50, 0.5), ("K", 283.15, 0.9)])
    func temperature(unit: String, value: Double, uncertainty: Double) throws {
        let samples = try samples(
            "temperature: {pointer: /t, unit: \(unit)}, temperatureUncertainty: {constant: 0.9, unit: \(unit)}",
            #"{"t": \#(value)}"#)
        let temperature = try #require(samples.temperatures.first)
        #expect(abs(temperature.temperature.celsius - 10) < 1e-9)
        #expect(abs(temperature.uncertainty.celsiusDifference - uncertainty) < 1e-9)
    }

    @Test(
        "Times of every unit are seconds",
        arguments: [("s", "1763749000.25"), ("ms", "1763749000250"), ("us", "1763749000250000"), ("ns", "1763749000250000000")])
    func time(unit: String, value: String) throws {
        let producers = try ProducersText.producers(
            Self.submersion("depth: {pointer: /d, unit: m}", time: ", time: {pointer: /t, unit: \(unit), clock: unix}"))
        for text in [value, "\"\(value)\""] {
            let message = try ProducerDecoding.decode("m/d1", #"{"d": 1, "t": \#(text)}"#, producers)
            #expect(abs(message.header.uptime.seconds - 1_763_749_000.25) < 1e-6)
        }
    }

    @Test("A unix time of another unit, or none at all, is refused with a hint")
    func wrongTime() throws {
        let producers = try ProducersText.producers(
            Self.submersion("depth: {pointer: /d, unit: m}", time: ", time: {pointer: /t, unit: s, clock: unix}"))
        for time in ["1763749000250", "0", "-1", "17637490", "978307199", "4102444801"] {
            let rejection = ProducerDecoding.rejection("m/d1", #"{"d": 1, "t": \#(time)}"#, producers)
            #expect(rejection?.reason == .timeOutOfRange)
            #expect(rejection?.pointer == "/t")
            #expect(rejection?.detail.contains("is the unit of the mapping right?") == true)
        }
    }

    @Test("A message that is refused is named by the boot and the place that it states")
    func header() throws {
        let producers = try ProducersText.producers(
            """
            mappings: [{name: m, topic: 'm/{device}', stream: device-motion, boot: /b, seq: /n,
              time: {pointer: /t, unit: s, clock: uptime}, fields: {attitude.x: /q, attitude.y: /u/1, attitude.z: /u/2, attitude.w: /u/3,
              \(["rotationRate", "userAcceleration", "gravity"].flatMap { name in ["x", "y", "z"].map { axis in
                "\(name).\(axis): {pointer: /\(name)/\(axis), unit: \(name == "rotationRate" ? "rad/s" : "G")}" } }.joined(separator: ", "))}}]
            """)
        let zeros = #"{"x": 0, "y": 0, "z": 0}"#
        let rest =
            #""t": 1, "q": 3, "u": [0, 0, 0, 0], "rotationRate": \#(zeros), "userAcceleration": \#(zeros), "gravity": \#(zeros)"#
        let named = ProducerDecoding.rejection("m/d1", #"{"b": 7, "n": 41, \#(rest)}"#, producers)
        #expect(named?.reason == .invalidValue)
        #expect(named?.boot?.rawValue == "7" && named?.sequence == 41)
        let unnamed = ProducerDecoding.rejection("m/d1", #"{"b": "/", "n": "x", \#(rest)}"#, producers)
        #expect(unnamed?.boot == nil && unnamed?.sequence == nil)
    }

    @Test("An origin that is a number counts in the unit of the times")
    func origin() throws {
        let producers = try ProducersText.producers(
            Self.submersion(
                "depth: {pointer: /d, unit: m}", time: ", time: {pointer: /t, unit: ms, clock: unix, origin: /start}"))
        let message = try ProducerDecoding.decode("m/d1", #"{"d": 1, "t": 500, "start": 1763749000000}"#, producers)
        #expect(message.header.uptime.seconds == 1_763_749_000.5)
    }

    @Test("Acceleration and rotation come in two units each, with either sign")
    func motion() throws {
        let vector = { (name: String, unit: String, sign: Int) in
            ["x", "y", "z"].map { "\(name).\($0): {pointer: /\(name)/\($0), unit: \(unit), sign: \(sign)}" }
                .joined(separator: ", ")
        }
        let producers = try ProducersText.producers(
            """
            mappings:
              - name: m
                topic: m/all
                device: head-1
                stream: headphone-motion
                boot: /boot
                seq: /n
                time: {pointer: /t, unit: s, clock: uptime}
                fields: {attitude.x: /q/0, attitude.y: /q/1, attitude.z: /q/2, attitude.w: {pointer: /q/3, sign: -1},
                  sensorLocation: /where, \(vector("rotationRate", "deg/s", 1)), \(vector("userAcceleration", "m/s2", -1)),
                  \(vector("gravity", "G", -1))}
            """)
        let payload = """
            {"boot": 7, "n": "41", "t": 12.5, "q": [0, 0, 0, -1], "where": 2, "rotationRate": {"x": 180, "y": 0, "z": 0},
             "userAcceleration": {"x": 9.80665, "y": 0, "z": 0}, "gravity": {"x": 0, "y": 0, "z": 1}}
            """
        let message = try ProducerDecoding.decode("m/all", payload, producers)
        #expect(message.header.boot.rawValue == "7")
        #expect(message.header.sequence == 41)
        #expect(message.scope == SequenceScope(producer: "mappings/m"))
        guard case .model(.headphoneMotion(let samples)) = message.frames.first else { throw AnotherBody() }
        #expect(samples.attitude[0] == SIMD4(0, 0, 0, 1))
        #expect(abs(samples.rotationRate[0].x - .pi) < 1e-12)
        #expect(abs(samples.userAcceleration[0].x + 1) < 1e-12)
        #expect(samples.gravity[0] == SIMD3(0, 0, -1))
        #expect(samples.sensorLocation == [.headphoneRight])
    }

    private func raw(_ acceleration: String, _ rate: String, _ field: String, layout: String = "flat") throws -> Producers {
        let vector = { (name: String, rest: String) in
            ["x", "y", "z"].map { "\(name).\($0): {pointer: /\(name)/\($0), \(rest)}" }.joined(separator: ", ")
        }
        return try ProducersText.producers(
            """
            mappings: [{name: m, topic: 'm/{device}', stream: device-motion, layout: \(layout),
              time: {pointer: /t, unit: s, clock: uptime}, fields: {\(vector("acceleration", acceleration)),
              \(vector("rotationRate", rate)), \(vector("magneticField", field))}}]
            """)
    }

    private func samples(_ payload: String, _ producers: Producers) throws -> MotionSamples {
        guard case .model(.deviceMotion(let samples))? = try ProducerDecoding.decode("m/d1", payload, producers).frames.first
        else {
            throw AnotherBody()
        }
        return samples
    }

    @Test(
        "Raw motion of every unit is in G, rad/s and microtesla, with either sign",
        arguments: [
            ("unit: G, sign: -1", "1", "unit: rad/s", "1.5707963267948966", "unit: uT", "50"),
            ("unit: m/s2, sign: -1", "9.80665", "unit: deg/s", "90", "unit: nT", "50000"),
            ("unit: mg, sign: -1", "\"1000\"", "unit: mdeg/s", "90000", "unit: gauss", "0.5"),
            ("unit: mg", "-1000", "unit: 'deg/s', sign: -1", "-90", "unit: mgauss, sign: -1", "-500"),
        ])
    func rawMotion(
        acceleration: String, weight: String, rotation: String, rate: String, magnetic: String, field: String
    ) throws {
        let samples = try samples(
            """
            {"t": 12.5, "acceleration": {"x": 0, "y": 0, "z": \(weight)}, "rotationRate": {"x": \(rate), "y": 0, "z": 0},
             "magneticField": {"x": 0, "y": \(field), "z": 0}}
            """, try raw(acceleration, rotation, magnetic))
        let measured = try #require(samples.raw)
        #expect(samples.timestamp == [12.5])
        #expect(abs(measured.acceleration[0].z + 1) < 1e-12 && measured.acceleration[0].x == 0)
        #expect(abs(samples.rotationRate[0].x - .pi / 2) < 1e-12)
        #expect(abs((measured.magneticField?[0].y ?? 0) - 50) < 1e-9)
        #expect(samples.attitude.count == 0 && samples.gravity.count == 0 && samples.userAcceleration.count == 0)
    }

    @Test("A null leaves out a sample of raw motion, but one of the magnetic field that field alone")
    func rawNulls() throws {
        let producers = try raw("unit: G", "unit: rad/s", "unit: uT", layout: "columns")
        let inGauss = try raw("unit: G", "unit: rad/s", "unit: gauss", layout: "columns")
        let payload = { (z: String, field: String) in
            """
            {"t": [1, 2, 3], "acceleration": {"x": [0, 0, 0], "y": [0, 0, 0], "z": \(z)},
             "rotationRate": {"x": [1, 2, 3], "y": [0, 0, 0], "z": [0, 0, 0]}\(field)}
            """
        }
        let whole = #", "magneticField": {"x": [1, 2, 3], "y": [4, 5, 6], "z": [7, 8, 9]}"#
        let holed = try samples(payload("[-1, null, -1]", whole), producers)
        #expect(holed.timestamp == [1, 3] && holed.rotationRate.x == [1, 3])
        #expect(holed.raw?.magneticField == VectorColumns(x: [1, 3], y: [4, 6], z: [7, 9]))
        for field in [
            "", #", "magneticField": null"#, whole.replacing("5", with: "null"), whole.replacing("[4, 5, 6]", with: "null"),
        ] {
            let samples = try samples(payload("[-1, -1, -1]", field), producers)
            #expect(samples.count == 3 && samples.raw?.magneticField == nil, "\(field)")
        }
        for (spoiled, reason) in [
            ("[4, 5]", RejectionReason.columnLength), ("[4, true, 6]", .wrongType), ("[4, 1e308, 6]", .notFinite),
        ] {
            let message = try ProducerDecoding.decode(
                "m/d1", payload("[-1, -1, -1]", whole.replacing("[4, 5, 6]", with: spoiled)), inGauss)
            guard case .model(.deviceMotion(let samples)) = message.frames.first else { throw AnotherBody() }
            #expect(samples.count == 3 && samples.raw?.magneticField == nil, "\(spoiled)")
            #expect(message.passedOver.refusal?.reason == reason, "\(spoiled)")
        }
        let missing = ProducerDecoding.rejection("m/d1", payload("null", ""), producers)
        #expect(missing?.reason == .columnLength && missing?.pointer == "/acceleration/z")
    }
}
