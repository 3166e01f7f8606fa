import Foundation
import GatewayPipeline
import GatewayTestSupport
import SignalProcessing
import TelemetryModel
import Testing

@Suite("Sensor Logger: the phone's own sensors")
struct SensorLoggerPhoneTests {
    private let start = SensorLoggerPipeline.start

    private func decode(_ text: JSONText) throws -> DecodedMessage {
        let decoder = MessageDecoder(producers: try SensorLoggerPipeline.make().pipeline.producers)
        return try decoder.decode(
            InboundMessage(topic: "sensor-logger/anna", payload: text.payload), stream: nil, received: .at(start + 9))
    }

    private func motion(_ message: DecodedMessage) throws -> DecodedMotion {
        guard case .motion(let motion)? = message.frames.first, message.frames.count == 1 else { throw AnotherBody() }
        return motion
    }

    /// A reading as the app writes it.
    private func reading(_ name: String, _ time: Double, _ x: Double, _ y: Double, _ z: Double) -> String {
        #"{"name":"\#(name)","time":\#(SensorLoggerApp.nanoseconds(time)),"values":{"x":\#(x),"y":\#(y),"z":\#(z)}}"#
    }

    /// A calm second of a phone that lies face up; `gravity` is what its accelerometer shows along z.
    private func phone(_ accelerometer: String, _ gravity: Double, from: Double) -> [String] {
        (0..<50).flatMap { index in
            let time = from + Double(index) / 50
            return [reading(accelerometer, time + 0.004, 0, 0, gravity), reading("gyroscope", time, 0.01, 0, 0)]
        }
    }

    @Test func `Total acceleration and rotation rate are raw motion at the instants of the gyroscope`() throws {
        let message = try decode(SampleEnvelopes.android)
        let motion = try motion(message)
        #expect(motion.stream == .deviceMotion)
        #expect(motion.samples.timestamp == [1_782_303_632.005, 1_782_303_632.015, 1_782_303_632.025])
        #expect(motion.samples.rotationRate.x == [0.5, 0.25, 0])
        let raw = try #require(motion.samples.raw)
        let expected = [0.5, 0.5, -0.5].map { $0 * 9.80665 }
        #expect(zip(raw.acceleration.x, expected).allSatisfy { abs($0 - $1) < 1e-3 })
        #expect(raw.acceleration.z == [9.80665, 9.80665, 9.80665])
        let field = try #require(raw.magneticField)
        #expect(zip(field.x, [20.5, 21.5, 22]).allSatisfy { abs($0 - $1) < 1e-3 })
        #expect(message.header.uptime.seconds == 1_782_303_632.03)
        #expect(message.passedOver.ignored == ["accelerometer": 1, "gyroscopeuncalibrated": 1])
    }

    @Test func `Android's signs and m/s2 become Core Motion's`() throws {
        let settings = try PipelineHarness.settings(producer: "sensorLogger", ["topic": "sensor-logger/{user}"])
        let message = InboundMessage(topic: "sensor-logger/anna", payload: SampleEnvelopes.android.payload)
        let explanation = Explanation(
            message, settings: settings, policy: AccessPolicy(unknown: .everything),
            at: GatewayTime(unix: UnixTime(start + 9), monotonic: 0))
        let text = explanation.lines.joined(separator: "\n")
        #expect(text.contains("device-motion, in units that are known"), "\(text)")
        #expect(text.contains("first acceleration: -0.5, 0, -1 G"), "\(text)")
        #expect(text.contains("first magnetic field: 20.5, -4, -42.5 uT"), "\(text)")
    }

    @Test(arguments: ["totalacceleration", "accelerometeruncalibrated"])
    func `What an Android phone measures is fused to its true inclination`(accelerometer: String) throws {
        let truth = Array(SimulatedMotion(shake: 0).samples(seconds: 6).prefix(600))
        var app = SensorLoggerApp()
        var harness = try SensorLoggerPipeline.make {
            $0.derive.setEnabled(AttitudeDerivation.self, true)
            $0.derive[AttitudeDerivation.self].seriesHertz = 1_000
        }
        let messages = (0..<6).flatMap { second -> [DerivedJSON] in
            let readings = (second * 100..<second * 100 + 100).flatMap { index in
                let time = start + Double(index + 1) / 100
                // The accelerometer measures between the instants of the gyroscope.
                let next = truth[min(index + 1, truth.count - 1)]
                let total = (truth[index].acceleration + next.acceleration) * (-9.80665 / 2)
                let rate = truth[index].rotationRate
                return [
                    reading(accelerometer, time + 0.005, total.x, total.y, total.z),
                    reading("gyroscope", time, rate.x, rate.y, rate.z),
                ]
            }
            return harness.send(app.message(at: start + Double(second) + 1.2, others: readings))
        }
        let attitudes = messages.filter { $0.kind == "attitude/series" }
        #expect(attitudes.count == 6 && attitudes.allSatisfy { $0.text("fusedBy") == "gateway" })
        #expect(messages.allSatisfy { $0.kind != "rejected" })
        var index = 0
        for message in attitudes {
            let gravity = try #require(message.fields["gravity"] as? [String: [Double]])
            for (x, (y, z)) in zip(gravity["x"] ?? [], zip(gravity["y"] ?? [], gravity["z"] ?? [])) {
                #expect((SIMD3(x, y, z) * Attitude.gravity(in: truth[index].attitude)).sum() > cos(1.5 * .pi / 180), "\(index)")
                index += 1
            }
        }
        #expect(index == truth.count)
    }

    @Test func `Without a field at one instant a message has none`() throws {
        var text = SampleEnvelopes.android
        for index in [4, 5] { text = text.with("/payload/\(index)/time", "1782303640000000000") }
        #expect(try motion(try decode(text)).samples.raw?.magneticField == nil)
    }

    @Test func `A sample without acceleration around it is left out and counted`() throws {
        let message = try decode(SampleEnvelopes.android.with("/payload/8/time", "1782303640000000000"))
        #expect(try motion(message).samples.count == 2)
        #expect(message.passedOver.ignored["gyroscope"] == 1)
        #expect(message.header.uptime.seconds == 1_782_303_640)
    }

    @Test(arguments: [
        ("/payload/0/name", "\"accelerometer\""), ("/payload/2/name", "\"wristMotionOfNobody\""),
    ])
    func `Readings of no use are counted as before, whatever they hold`(place: String, name: String) throws {
        var text = SampleEnvelopes.android
        for index in [0, 1, 6, 7] where place.hasPrefix("/payload/0") { text = text.with("/payload/\(index)/name", name) }
        for index in [2, 3, 8, 9] where place.hasPrefix("/payload/2") { text = text.with("/payload/\(index)/name", name) }
        let message = try decode(text.with("/payload/4/values", "{}"))
        #expect(message.frames.isEmpty)
        #expect(message.passedOver.ignored.values.reduce(0, +) == 11)
        #expect(message.passedOver.ignored["magnetometer"] == 2)
    }

    @Test(arguments: [
        ("/payload/0/values/x", nil, RejectionReason.missingField, "/payload/0/values/x"),
        ("/payload/2/values/z", "\"NaN\"", .notFinite, "/payload/2/values/z"),
        ("/payload/4/values/y", "null", .wrongType, "/payload/4/values/y"),
        ("/payload/3/time", "12", .timeOutOfRange, "/payload/3/time"),
    ])
    func `A reading that cannot be read is left out with its place`(
        place: String, written: String?, reason: RejectionReason, pointer: String
    ) throws {
        let message = try decode(SampleEnvelopes.android.with(place, written))
        #expect(message.passedOver.refused == 1)
        #expect(message.passedOver.refusal?.reason == reason)
        #expect(message.passedOver.refusal?.pointer == pointer)
        #expect(message.frames.map(\.stream) == [.deviceMotion])
    }

    @Test(arguments: [(-1.0, 1.0), (9.80665, -1 / 9.80665)])
    func `The unit of uncalibrated acceleration shows its signs`(gravity: Double, scale: Double) throws {
        var app = SensorLoggerApp()
        var harness = try SensorLoggerPipeline.make(streams: [.headphoneMotion])
        let messages = harness.send(
            app.message(at: start + 1.1, others: phone("accelerometeruncalibrated", gravity, from: start)))
        let track = try #require(harness.state(of: "anna")?.intake.convention(of: .deviceMotion))
        #expect(track.convention?.accelerationScale == scale)
        #expect(track.isStandardised == (scale < 0))
        #expect(messages.contains { $0.kind == "convention/device-motion" })
    }

    @Test func `The motion of a watch overrules that of its phone for the rest of the recording`() throws {
        var app = SensorLoggerApp()
        var harness = try SensorLoggerPipeline.make(streams: [.headphoneMotion])
        let wrist = SensorLoggerPipeline.head(seconds: 3)
        let counts = { (harness: PipelineHarness) in harness.pipeline.counters.ignoredReadings.counts }
        _ = harness.send(app.message(at: start + 1.1, others: phone("totalacceleration", 9.80665, from: start)))
        #expect(counts(harness)["phonemotion"] == nil)
        // The watch lags, and pauses.
        _ = harness.send(
            app.message(at: start + 2.1, wrist: wrist, others: phone("totalacceleration", 9.80665, from: start + 1)))
        #expect(counts(harness)["totalacceleration"] == 50 && counts(harness)["gyroscope"] == 50)
        _ = harness.send(app.message(at: start + 3.1, others: phone("totalacceleration", 9.80665, from: start + 2)))
        #expect(counts(harness)["phonemotion"] == 50)
        #expect(harness.state(of: "anna")?.intake.convention(of: .deviceMotion)?.convention?.gravityScale == 1)
        #expect(harness.pipeline.counters.rejected.isEmpty)
        // A new recording may be of the phone alone.
        var next = SensorLoggerApp(session: "session-2")
        _ = harness.send(next.message(at: start + 61.1, others: phone("totalacceleration", 9.80665, from: start + 60)))
        #expect(counts(harness)["phonemotion"] == 50)
    }
}
