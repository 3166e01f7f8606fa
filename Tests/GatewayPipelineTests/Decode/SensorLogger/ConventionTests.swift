import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Sensor Logger: units and signs")
struct SensorLoggerConventionTests {
    private let start = SensorLoggerPipeline.start

    /// What the same readings give as frames of the contract.
    private func native(_ stream: String, _ readings: [AppReading]) -> [DerivedJSON] {
        var settings = PipelineHarness.settings
        settings.derive[HeadPoseDerivation.self].rateHertz = 10
        settings.derive[StrokeDerivation.self].wrist = .right
        settings.derive[StrokeDerivation.self].always = true
        var harness = PipelineHarness(settings: settings)
        var device = TestDevice("anna")
        return stride(from: 0, to: readings.count, by: 50).flatMap { first in
            harness.send(device.motion(stream, Array(readings[first..<min(first + 50, readings.count)])))
        }
    }

    private func expectEqual(_ found: [DerivedJSON], _ expected: [DerivedJSON], fields: [String]) {
        #expect(found.count == expected.count && !found.isEmpty)
        for (found, expected) in zip(found, expected) {
            for field in fields {
                let difference = abs((found.number(field) ?? .nan) - (expected.number(field) ?? .nan))
                #expect(difference < 1e-6, "\(field): \(found) instead of \(expected)")
            }
        }
    }

    @Test(arguments: SensorLoggerApp.Writing.allCases) func `Head poses are those of the contract's own frames`(
        writing: SensorLoggerApp.Writing
    ) throws {
        let head = SensorLoggerPipeline.head(seconds: 8)
        var app = SensorLoggerApp(writing: writing)
        var harness = try SensorLoggerPipeline.make()
        let messages = harness.send(app.messages(from: start, seconds: 8, headphones: head))
        let poses = SensorLoggerPipeline.poses(messages)
        expectEqual(
            poses, SensorLoggerPipeline.poses(native("headphone-motion", head)),
            fields: ["at", "yaw", "pitch", "roll", "referenceAt"])
        #expect(poses.allSatisfy { $0.text("sensorLocation") == "headphoneRight" })
        #expect((poses.compactMap { $0.number("yaw") }.map(abs).max() ?? 0) > 0.5)

        let report = try #require(messages.first { $0.kind == "convention/headphone-motion" })
        #expect(report.retain)
        #expect(report.flag("standardised") == (writing != .plain))
        let sign = writing == .plain ? 1.0 : -1.0
        #expect(abs((report.number("gravityScale") ?? 0) - sign / 9.80665) < 1e-5)
        #expect(abs((report.number("accelerationScale") ?? 0) - (writing == .plain ? 1 : -1 / 9.80665)) < 1e-5)
    }

    @Test(arguments: SensorLoggerApp.Writing.allCases) func `Strokes are those of the contract's own frames`(
        writing: SensorLoggerApp.Writing
    ) throws {
        let wrist = (0..<800).map { index in
            let time = Double(index) / 100
            let isSwinging = (3..<3.6).contains(time) || (6..<6.6).contains(time)
            return AppReading(
                time: start + time, yaw: time * 0.01, rate: isSwinging ? (time < 5 ? 15 : -15) : 0,
                acceleration: isSwinging ? [1, 2, -1] : [0.02, 0.01, 0])
        }
        var app = SensorLoggerApp(writing: writing)
        var harness = try SensorLoggerPipeline.make()
        let messages = harness.send(app.messages(from: start, seconds: 8, wrist: wrist)) + harness.end()
        let strokes = messages.filter { $0.kind == "stroke" }
        let expected = native("device-motion", wrist).filter { $0.kind == "stroke" }
        expectEqual(strokes, expected, fields: ["at", "accumulatedRotation", "peakRotationRate"])
        #expect(strokes.map { $0.text("stroke") } == expected.map { $0.text("stroke") })
        #expect(Set(strokes.compactMap { $0.text("stroke") }) == ["forehand", "backhand"])
    }

    @Test func `Until its units are known a stream waits, and then nothing of it is missing`() throws {
        var app = SensorLoggerApp()
        var harness = try SensorLoggerPipeline.make()
        let head = SensorLoggerPipeline.head(seconds: 2)
        #expect(harness.send(app.message(at: start + 0.3, headphones: Array(head[..<10]))).isEmpty)
        let messages = harness.send(app.message(at: start + 1, headphones: Array(head[10..<50])))
        #expect(SensorLoggerPipeline.transitions(messages) == ["connected@0.0"])
        #expect(messages.contains { $0.kind == "head-pose" })
    }

    @Test func `The registry's setting of standardisation overrides the measurement`() throws {
        var app = SensorLoggerApp(writing: .plain)
        var harness = try SensorLoggerPipeline.make(standardised: true)
        let messages = harness.send(
            app.messages(from: start, seconds: 3, headphones: SensorLoggerPipeline.head(seconds: 3)))
        #expect(messages.first { $0.kind == "convention/headphone-motion" }?.flag("standardised") == true)
    }

    @Test func `What is in no known unit is kept only so long, and then refused`() throws {
        var app = SensorLoggerApp()
        var harness = try SensorLoggerPipeline.make()
        let messages = (0..<70).flatMap { second in
            let reading = AppReading(time: start + Double(second), yaw: 0)
            let message = app.message(at: reading.time, headphones: [reading])
            let text = String(decoding: message.message.payload, as: UTF8.self)
            return harness.send(app.raw(at: reading.time, text.replacing("gravityX\":-", with: "gravityX\":-77")))
        }
        #expect(Set(messages.map(\.kind)) == ["rejected"])
        #expect(harness.pipeline.counters.rejected == [.unknownUnit: 10])
    }

    @Test func `The reference is never taken from the made-up attitudes a stream begins with`() throws {
        let head = (0..<150).map { index in
            let reading = AppReading(time: start + Double(index) / 50, yaw: 1)
            return index < 13 ? reading.bogus : reading
        }
        var app = SensorLoggerApp()
        var harness = try SensorLoggerPipeline.make()
        let poses = SensorLoggerPipeline.poses(harness.send(app.messages(from: start, seconds: 3, headphones: head)))
        #expect(!poses.isEmpty)
        for pose in poses {
            #expect((pose.number("referenceAt") ?? 0) >= start + 0.26 + 0.3 - 1e-3)
            #expect(abs(pose.number("yaw") ?? .nan) < 1e-6)
        }
    }
}
