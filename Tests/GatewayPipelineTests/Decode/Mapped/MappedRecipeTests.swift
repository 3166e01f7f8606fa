import Foundation
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import SignalProcessing
import TelemetryModel
import Testing

@Suite("The mappings that are shipped")
struct MappedRecipeTests {
    private let producers: Producers

    init() throws { producers = try ProducersText.producers(try ProducersText.shipped()) }

    private func body(_ topic: String, _ payload: JSONText) throws -> (FrameHeader, DecodedBody)? {
        let message = try ProducerDecoding.decode(topic, payload.text, producers)
        return message.frames.first.map { (message.header, $0) }
    }

    @Test("SensorLog's texts are Core Motion's numbers, on the device's own clock")
    func sensorLog() throws {
        let (header, body) = try #require(try body("sensorlog/watch-1", MappedSamples.sensorLog))
        #expect(header.boot.rawValue == "uptime")
        #expect(header.uptime.seconds == 142714.045678)
        #expect(header.sent == nil && header.sequence == nil)
        guard case .model(.deviceMotion(let samples)) = body else { throw AnotherBody() }
        #expect(samples.timestamp == [142714.045678])
        #expect(samples.attitude[0] == SIMD4(0, 0.6, 0, 0.8))
        #expect(samples.rotationRate[0] == SIMD3(0.001327, -0.5, 2))
        #expect(samples.userAcceleration[0] == SIMD3(-0.000042, 0.25, -1))
        #expect(samples.gravity[0] == SIMD3(0.96, 0, -0.28))
        #expect(samples.sensorLocation == [.default])
    }

    @Test("phyphox's times count from its last start, and its units are measured")
    func phyphox() throws {
        let (header, body) = try #require(try body("phyphox/phone-1", MappedSamples.phyphox))
        #expect(header.boot.rawValue == "unix")
        #expect(header.uptime.seconds == 1_763_748_990.5)
        #expect(header.sent?.seconds == 1_763_748_990.5)
        guard case .motion(let motion) = body else { throw AnotherBody() }
        #expect(motion.convention == .measured(accelerationIsInUnitOfGravity: true))
        #expect(motion.samples.timestamp == [1_763_748_990, 1_763_748_990.25, 1_763_748_990.5])
        #expect(motion.samples.gravity[2] == SIMD3(0, 0, 9.80665))
    }

    @Test("A sample before the pause belongs to the start before it")
    func phyphoxPause() throws {
        let early = MappedSamples.phyphox.with("/t", "[1, 9.25, 10]")
        guard case .motion(let motion) = try body("phyphox/phone-1", early)?.1 else { throw AnotherBody() }
        #expect(motion.samples.timestamp == [1_763_748_001, 1_763_748_009.25, 1_763_748_990])
    }

    @Test("A sample with a null is left out; one number is a column of one")
    func phyphoxNull() throws {
        let holed = MappedSamples.phyphox.with("/accY", "[0, null, 0]")
        guard case .motion(let motion) = try body("phyphox/phone-1", holed)?.1 else { throw AnotherBody() }
        #expect(motion.samples.timestamp == [1_763_748_990, 1_763_748_990.5])
        #expect(motion.samples.attitude.w == [1, -1])
        var single = MappedSamples.phyphox
        for key in ["t", "qx", "qy", "qz", "gyrX", "gyrY", "gyrZ", "accX", "accY", "accZ", "gravX", "gravY"] {
            single = single.with("/\(key)", "0.5")
        }
        single = single.with("/qx", "0").with("/qy", "0").with("/qz", "0").with("/qw", "1").with("/gravZ", "[9.8]")
        guard case .motion(let one) = try body("phyphox/phone-1", single)?.1 else { throw AnotherBody() }
        #expect(one.samples.timestamp == [1_763_748_000.5])
    }

    @Test("Raw phyphox is on its start's clock, with a magnetic field where the phone has one")
    func phyphoxRaw() throws {
        let (header, body) = try #require(try body("phyphox-raw/phone-1", MappedSamples.phyphoxRaw))
        #expect(header.boot.rawValue == "unix" && header.uptime.seconds == 1_763_748_010.5)
        guard case .model(.deviceMotion(let samples)) = body else { throw AnotherBody() }
        #expect(samples.raw?.acceleration[2] == SIMD3(-1, 0, 0))
        #expect(samples.raw?.magneticField?[2] == SIMD3(20.25, -4.25, -42.5))
        let without = ["magX", "magY", "magZ"].reduce(MappedSamples.phyphoxRaw) { $0.with("/\($1)", nil) }
        guard case .model(.deviceMotion(let plain))? = try self.body("phyphox-raw/phone-1", without)?.1 else {
            throw AnotherBody()
        }
        #expect(plain.count == 3 && plain.raw?.magneticField == nil)
        let part = try ProducerDecoding.decode(
            "phyphox-raw/phone-1", MappedSamples.phyphoxRaw.with("/magY", nil).text, producers)
        guard case .model(.deviceMotion(let two))? = part.frames.first else { throw AnotherBody() }
        #expect(two.count == 3 && two.raw?.magneticField == nil)
        let refusal = part.passedOver.refusal
        #expect(refusal?.reason == .missingField && refusal?.pointer == "/magY", "two of three axes are a mistake")
    }

    @Test("An ESP32's boot and seq are those of the message, and its clock its own")
    func microcontrollers() throws {
        let (flat, one) = try #require(try body("imu/esp-1", MappedSamples.espHome))
        #expect(flat.boot.rawValue == "3735928559" && flat.sequence == nil && flat.sent == nil)
        #expect(flat.uptime.seconds == 184.213)
        guard case .model(.deviceMotion(let sample)) = one else { throw AnotherBody() }
        #expect(abs((sample.raw?.acceleration[0].z ?? 0) + 1) < 1e-12)
        let (columns, two) = try #require(try body("imu-columns/esp-2", MappedSamples.arduino))
        #expect(columns.boot.rawValue == "2890771" && columns.sequence == 41)
        guard case .model(.deviceMotion(let samples)) = two else { throw AnotherBody() }
        #expect(samples.timestamp == [184.213004, 184.233011])
        #expect(samples.rotationRate[1] == SIMD3(-0.02, 0.25, 0.01))
    }

    @Test(
        "A sketch's columns are fused to the true inclination, in chips' signs and units of every kind",
        arguments: ["imu-columns", "imu"])
    func fused(topic: String) throws {
        let truth = Array(SimulatedMotion(shake: 0).samples(seconds: 4).prefix(400))
        var settings = PipelineHarness.settings
        settings.producers = producers
        settings.derive.setEnabled(AttitudeDerivation.self, true)
        settings.derive[AttitudeDerivation.self].seriesHertz = 1_000
        var harness = PipelineHarness(settings: settings, policy: AccessPolicy(unknown: .everything))
        let size = topic == "imu" ? 1 : 25
        var messages: [DerivedJSON] = []
        for first in stride(from: 0, to: truth.count, by: size) {
            let range = first..<first + size
            let column = { (value: (SimulatedMotion.Sample) -> Double) in
                let numbers = truth[range].map { "\(value($0))" }.joined(separator: ",")
                return size == 1 ? numbers : "[\(numbers)]"
            }
            let times = range.map { "\((100_000 + $0 * 10) * (size == 1 ? 1 : 1000))" }.joined(separator: ",")
            let turn = size == 1 ? 180 / Double.pi : 1
            let fields = [
                ("t", size == 1 ? times : "[\(times)]"), ("boot", "7"), ("seq", "\(first / size)"),
                ("ax", column { $0.acceleration.x * -9.80665 }), ("ay", column { $0.acceleration.y * -9.80665 }),
                ("az", column { $0.acceleration.z * -9.80665 }), ("gx", column { $0.rotationRate.x * turn }),
                ("gy", column { $0.rotationRate.y * turn }), ("gz", column { $0.rotationRate.z * turn }),
            ]
            let payload = "{" + fields.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}"
            messages += harness.send(mapped("\(topic)/esp-2", payload, at: 1_763_749_000 + Double(first) / 100))
        }
        let gravity = try messages.filter { $0.kind == "attitude/series" }.flatMap { message -> [SIMD3<Double>] in
            let columns = try #require(message.fields["gravity"] as? [String: [Double]])
            let axes = ["x", "y", "z"].map { columns[$0] ?? [] }
            return axes[0].indices.map { SIMD3(axes[0][$0], axes[1][$0], axes[2][$0]) }
        }
        #expect(gravity.count == truth.count)
        for (found, sample) in zip(gravity, truth) {
            #expect((found * Attitude.gravity(in: sample.attitude)).sum() > cos(1 * .pi / 180))
        }
        #expect(messages.allSatisfy { $0.kind != "rejected" })
    }

    @Test("phyphox's units and signs become Core Motion's once there are samples enough")
    func phyphoxMeasured() throws {
        var harness = PipelineHarness(producers: producers)
        var kinds: [String] = []
        for second in 0..<12 {
            let times = (0..<3).map { "\(10 + Double(second) + Double($0) * 0.3)" }.joined(separator: ",")
            let tilted = second % 2 == 0
            let sample = MappedSamples.phyphox.with("/t", "[\(times)]")
                .with("/qx", tilted ? "[0,0,0]" : "[0.6,0.6,0.6]").with("/qw", tilted ? "[1,1,1]" : "[0.8,0.8,0.8]")
                .with("/gravY", tilted ? "[0,0,0]" : "[9.414384,9.414384,9.414384]")
                .with("/gravZ", tilted ? "[9.80665,9.80665,9.80665]" : "[2.745862,2.745862,2.745862]")
            let sent = harness.send(mapped("phyphox/phone-1", sample.text, at: 1_763_748_992 + Double(second)))
            kinds += sent.map(\.kind)
        }
        let state = try #require(harness.state(of: "phone-1"))
        let track = try #require(state.intake.convention(of: .deviceMotion))
        #expect(track.isStandardised)
        #expect(track.convention?.gravityScale == -1 / MotionConvention.standardGravity)
        #expect(kinds.contains("connection/device"))
        #expect(!kinds.contains("rejected"))
    }

    @Test("An ESPHome pressure is a depth by the air's pressure, timed by its arrival")
    func pressure() throws {
        let message = try ProducerDecoding.decode("buoy-1/sensor/water_pressure/state", " 1325.5\n", producers)
        #expect(message.header.uptime.seconds == ProducerDecoding.received)
        guard case .submersion(let samples) = message.frames.first else { throw AnotherBody() }
        #expect(samples.measurements.count == 1)
        #expect(samples.measurements.first?.pressure == Quantity(1325.5, .hectopascals))
        #expect(samples.measurements.first?.surfacePressure == Quantity(98, .kilopascals))
        #expect(samples.measurements.first?.depth == nil)
    }

    @Test("Pressure and temperature go through to depth states and water temperatures")
    func derived() throws {
        var harness = PipelineHarness(producers: producers)
        var messages: [DerivedJSON] = []
        for (index, hectopascals) in [980.0, 1100, 1200, 1325.5].enumerated() {
            messages += harness.send(
                mapped("buoy-1/sensor/water_pressure/state", "\(hectopascals)", at: 1_763_749_000 + Double(index)))
        }
        messages += harness.send(mapped("buoy-1/sensor/water_temperature/state", "18.25", at: 1_763_749_005))
        let depth = try #require(messages.last { $0.kind == "depth-state" })
        #expect(depth.text("state") == "submergedDeep")
        let temperature = try #require(messages.first { $0.kind == "water-temperature" })
        #expect(temperature.number("temperature") == 18.25)
        #expect(temperature.number("uncertainty") == 1)
        #expect(!messages.contains { $0.kind == "rejected" })
    }

    @Test(
        "A sensor that sends nan, or a word or a blank for no value, puts the depth in doubt at once",
        arguments: [
            "nan", "None", "none", "null", "NULL", "", " ", "\n", "unavailable", "unknown", "UNKNOWN", "N/A", "n/a", "--", "-",
            "\"None\"",
        ])
    func doubt(word: String) throws {
        var harness = PipelineHarness(producers: producers)
        _ = harness.send(mapped("buoy-1/sensor/water_pressure/state", "1325.5", at: 1_763_749_000))
        let messages = harness.send(mapped("buoy-1/sensor/water_pressure/state", word, at: 1_763_749_001))
        #expect(messages.first { $0.kind == "rejected" }?.text("reason") == "notFinite")
        #expect(messages.first { $0.kind == "depth-state" }?.text("quality") == "fault")
    }

    @Test(
        "So does one in JSON, in place of the depth, of what is around it, or of the whole payload",
        arguments: [
            #"{"t": 1763749001, "w": {"d": null}}"#, #"{"t": 1763749001, "w": {"d": ""}}"#,
            #"{"t": 1763749001, "w": {"d": "None"}}"#, #"{"t": 1763749001, "w": {"d": " unavailable "}}"#,
            #"{"t": 1763749001, "w": {"d": "Unknown"}}"#, #"{"t": 1763749001, "w": {"d": "N/A"}}"#,
            #"{"t": 1763749001, "w": {"d": "--"}}"#, #"{"t": 1763749001, "w": {"d": "nan"}}"#, #"{"t": 1763749001, "w": null}"#,
            #"{"t": 1763749001, "w": "unavailable"}"#, #"{"t": null, "w": {"d": null}}"#,
            #"{"w": {"d": "None"}}"#, #"{"t": 1763749001, "w": {"d": None}}"#, #"{"t": 1763749001, "w": {"d": NaN}}"#, "null",
            #""unavailable""#, "None", "", " ",
        ])
    func doubtInJSON(payload: String) throws {
        let text = """
            mappings:
            - {name: w, topic: 'w/{device}', stream: submersion, time: {pointer: /t, unit: s, clock: unix}, \
            fields: {depth: {pointer: /w/d, unit: m}}}
            """
        var harness = PipelineHarness(producers: try ProducersText.producers(text))
        _ = harness.send(mapped("w/d1", #"{"t": 1763749000, "w": {"d": 3}}"#, at: 1_763_749_000))
        let messages = harness.send(mapped("w/d1", payload, at: 1_763_749_001))
        #expect(messages.first { $0.kind == "rejected" }?.text("reason") == "notFinite", "\(messages)")
        #expect(messages.first { $0.kind == "depth-state" }?.text("quality") == "fault")
    }

    @Test(
        "In columns too, for one sample or for all",
        arguments: [#"[3, "None"]"#, #"[null, 3]"#, #"["", ""]"#, "null", #""unavailable""#])
    func doubtInColumns(depths: String) throws {
        let text = """
            mappings:
            - {name: w, topic: 'w/{device}', stream: submersion, layout: columns, time: {pointer: /t, unit: s, clock: unix}, \
            fields: {depth: {pointer: /d, unit: m}}}
            """
        let rejection = ProducerDecoding.rejection(
            "w/d1", #"{"t": [1763749000, 1763749001], "d": \#(depths)}"#, try ProducersText.producers(text))
        #expect(rejection?.reason == .notFinite)
    }

    @Test("A temperature without a value is left out, and puts no depth in doubt", arguments: ["None", "unavailable", "--"])
    func noTemperature(word: String) throws {
        var harness = PipelineHarness(producers: producers)
        _ = harness.send(mapped("buoy-1/sensor/water_pressure/state", "1325.5", at: 1_763_749_000))
        let messages = harness.send(mapped("buoy-1/sensor/water_temperature/state", word, at: 1_763_749_001))
        #expect(!messages.contains { $0.kind == "rejected" || $0.text("quality") == "fault" })
    }

    @Test("Words for no value are left out of other streams as null is, and what is no such word is no number")
    func otherStreams() throws {
        let text = """
            mappings:
            - {name: s, topic: 's/{device}', stream: pedometer, layout: columns, time: {pointer: /t, unit: s, clock: unix}, \
            fields: {numberOfSteps: /n}}
            """
        let producers = try ProducersText.producers(text)
        let message = try ProducerDecoding.decode(
            "s/d1", #"{"t": [1763749000, 1763749001], "n": ["unavailable", 12]}"#, producers)
        guard case .model(.pedometer(let samples)) = message.frames.first else { throw AnotherBody() }
        #expect(samples.data.map(\.steps) == [12])
        let broken = ProducerDecoding.rejection("s/d1", #"{"t": [1763749000, 1763749001], "n": ["unknowable", 12]}"#, producers)
        #expect(broken?.reason == .wrongType)
    }
}

/// A recorded message on a topic of another program.
func mapped(_ topic: String, _ payload: String, at: Double, retain: Bool = false) -> RecordedMessage {
    RecordedMessage(at: at, message: InboundMessage(topic: topic, payload: Array(payload.utf8), retain: retain))
}
