import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@testable import GatewayPipeline

@Suite("A sample that is not newer confirms nothing")
struct SeriesTests {
    private typealias Sample = RunScenario.Sample

    @Test(
        "A measurement that is repeated in new frames: one unknown, and no valid state before a newer one comes",
        arguments: [false, true])
    func frozenSensor(ticks: Bool) throws {
        for writing in [RunScenario.Writing.native, .nativeWithoutSent] {
            var harness = try RunScenario.harness()
            var messages: [DerivedJSON] = []
            for second in 0..<40 {
                let measured = second < 5 ? Double(second) : second < 35 ? 5 : Double(second)
                messages += harness.send(
                    RunScenario.message(Sample(at: Double(second), 2.3, seq: second, measured: measured), as: writing))
                if ticks { messages += harness.tick(at: RunScenario.start + Double(second) + 0.5) }
            }
            let states = messages.depths.filter { $0.text("state") != "submergedDeep" || $0.text("previous") != "submergedDeep" }
            #expect(states.compactMap { $0.text("state") } == ["submergedDeep", "unknown", "submergedDeep"])
            #expect(messages.depths.allSatisfy { ($0.number("deviceTime") ?? 0) <= 1_000_040 })
            #expect(harness.pipeline.counters.repeatedReadings == 29)
            #expect(messages.reports.isEmpty)
            // The app is alive: only its sensor is not.
            #expect(!messages.contains { $0.kind == "connection/device" && $0.text("state") == "silent" })
        }
    }

    @Test(
        "A bridge that repeats its last message for a minute: unknown after five seconds, once",
        arguments: [RunScenario.Writing.flat, .columns])
    func bridge(_ writing: RunScenario.Writing) throws {
        var harness = try RunScenario.harness()
        var messages = (0..<6).flatMap { harness.send(RunScenario.message(Sample(at: Double($0), 3, seq: $0), as: writing)) }
        for second in 6..<66 {
            messages += harness.send(RunScenario.message(Sample(at: Double(second), clock: 5, 3, seq: 5), as: writing))
        }
        #expect(messages.depths.compactMap { $0.text("state") }.last == "unknown")
        #expect(messages.depths.filter { $0.text("state") == "unknown" }.count == 1)
        #expect(messages.depths.first { $0.text("state") == "unknown" }?.number("at") == RunScenario.start + 10)
        #expect(harness.pipeline.counters.repeatedReadings == (writing == .flat ? 60 : 120))
        #expect(messages.reports.isEmpty)
    }

    @Test("Of one instant a deeper measurement counts, by depth, pressure or state, and one that is no number")
    func wholeSeconds() {
        func frame(
            _ depth: Double? = nil, pressure: Double? = nil, state: DepthState? = nil, at time: Double = 10
        ) -> FrameBody {
            .submersion(
                SubmersionSamples(measurements: [
                    SubmersionMeasurement(
                        time: DeviceTime(time), depth: depth, pressure: pressure, surfacePressure: pressure.map { _ in 101 },
                        submersionState: state)
                ]))
        }
        var series = SeriesTimes()
        #expect(series.accept(frame(3)) == nil)
        #expect(series.accept(frame(2.9))?.removed == 1)
        #expect(series.accept(frame(3))?.removed == 1)
        #expect(series.accept(frame(3.1)) == nil)
        #expect(series.accept(frame(3.05))?.removed == 1)
        #expect(series.accept(frame(.nan)) == nil)
        #expect(series.accept(frame(state: .pastMaxDepth)) == nil)
        #expect(series.accept(frame(state: .pastMaxDepth))?.removed == 1)
        #expect(series.accept(frame(40, at: 9))?.removed == 1, "what is older never counts")
        #expect(series.accept(frame(pressure: 120, at: 11)) == nil)
        #expect(series.accept(frame(pressure: 119, at: 11))?.removed == 1)
        #expect(series.accept(frame(pressure: 121, at: 11)) == nil)
    }

    @Test("Each list of a frame is a series of its own")
    func lists() {
        var series = SeriesTimes()
        func frame(_ measured: Double, _ temperature: Double, _ event: Double) -> FrameBody {
            .submersion(
                SubmersionSamples(
                    events: [SubmersionEvent(time: DeviceTime(event), state: .submerged)],
                    measurements: [SubmersionMeasurement(time: DeviceTime(measured), depth: 3)],
                    temperatures: [
                        WaterTemperatureSample(time: DeviceTime(temperature), temperature: 12, uncertainty: 1)
                    ]))
        }
        #expect(series.accept(frame(10, 12, 5)) == nil)
        // The temperature and the event are of before the measurement, but not of before those of their series.
        #expect(series.accept(frame(14, 13, 6)) == nil)
        let found = series.accept(frame(14, 13, 7))
        #expect(found?.removed == 2)
        guard case .submersion(let rest) = found?.rest else { return #expect(Bool(false)) }
        #expect(rest.events.count == 1 && rest.measurements.isEmpty && rest.temperatures.isEmpty)
    }

    @Test("The halves of a batch, and the two altitudes, are series of their own; what overlaps is cut off")
    func columns() {
        var series = SeriesTimes()
        func batch(_ times: [Double]) -> FrameBody {
            let zero = [Double](repeating: 0, count: times.count)
            return .batchedIMU(
                BatchedIMU(
                    accelerometer: AccelerometerSamples(timestamp: times, acceleration: VectorColumns(x: zero, y: zero, z: zero)))
            )
        }
        #expect(series.accept(batch([1, 2, 3])) == nil)
        let found = series.accept(batch([2, 3, 4, 5]))
        #expect(found?.removed == 2)
        guard case .batchedIMU(let rest) = found?.rest else { return #expect(Bool(false)) }
        #expect(rest.accelerometer?.timestamp == [4, 5])
        var heights = SeriesTimes()
        let absolute = AbsoluteAltitudeSamples(timestamp: [1], altitude: [2], accuracy: [1], precision: [1])
        #expect(heights.accept(.altimeter(AltimeterSamples(timestamp: [5], relativeAltitude: [0]))) == nil)
        #expect(heights.accept(.altimeter(AltimeterSamples(absolute: absolute))) == nil)
        #expect(heights.accept(.altimeter(AltimeterSamples(absolute: absolute)))?.removed == 1)
    }

    @Test("A retained frame of an old state, a command and a queried result are exempt: none is in doubt")
    func exempt() throws {
        var harness = PipelineHarness()
        var device = TestDevice(offset: RunScenario.start)
        _ = harness.send(device.depth(3, uptime: 1_000))
        var status = device.status(uptime: 10)
        status.at = RunScenario.start + 1_001
        let messages = harness.send(status) + harness.tick(at: RunScenario.start + 1_002)
        #expect(messages.reports.isEmpty)
        #expect(harness.pipeline.waitingCount == 0)
    }
}
