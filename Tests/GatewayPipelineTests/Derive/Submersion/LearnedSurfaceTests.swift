import Foundation
import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Learned pressure of the air")
struct LearnedSurfaceTests {
    /// kPa for each m of water, as the harness's settings have it.
    private static let perMeter =
        SubmersionSettings(maximumDepth: 40).water.density * SubmersionSettings(maximumDepth: 40).gravity / 1000

    /// A device with a sensor of absolute pressure alone.
    private struct Sensor {
        var harness = SubmersionHarness()
        var now = 1000.0

        /// Measures every `interval` seconds for `seconds`, at a depth in m under air of `air` kPa.
        mutating func measure(_ depth: Double, for seconds: Double, air: Double = 101, every interval: Double = 1) {
            let end = now + seconds
            while now < end {
                read(air + depth * LearnedSurfaceTests.perMeter)
                now += interval
            }
        }

        mutating func read(_ pressure: Double) {
            var measurement = SubmersionMeasurement(time: DeviceTime(now), pressure: pressure)
            measurement.learnsSurface = true
            harness.feed(measurements: [measurement])
        }

        var depth: Double { harness.changes.last?.depth ?? .nan }
        var surface: Double? { harness.changes.last?.surfacePressure }

        /// What is known of the air, as a dive shows it.
        func learned(air: Double) -> Double? {
            var other = self
            other.measure(3, for: 10, air: air)
            return other.surface
        }
    }

    private func sensor() -> Sensor {
        var sensor = Sensor()
        // A state every second, to see each depth.
        sensor.harness.settings.refreshSeconds = 1
        // Some tests measure every 30 s, so that hours are short.
        sensor.harness.settings.staleSeconds = 60
        return sensor
    }

    @Test("There is no depth before a minute of steady air, and the right one after it")
    func start() {
        var sensor = sensor()
        sensor.measure(0, for: 60)
        #expect(sensor.harness.events.isEmpty)
        sensor.measure(0, for: 20)
        #expect(sensor.harness.states.last == .notSubmerged)
        sensor.measure(5, for: 10)
        #expect(sensor.harness.states.last == .submergedDeep)
        #expect(abs(sensor.depth - 5) < 1e-9 && sensor.surface == 101)
    }

    @Test("A sensor that starts under water has no depth until it is out of it", arguments: [0.5, 2, 20])
    func startsUnderWater(depth: Double) {
        var sensor = sensor()
        for index in 0..<600 { sensor.measure(depth + 0.05 * Double(index % 3), for: 1) }
        #expect(sensor.harness.events.isEmpty)
        sensor.measure(0, for: 120)
        #expect(sensor.harness.states.last == .notSubmerged)
        sensor.measure(3, for: 10)
        #expect(abs(sensor.depth - 3) < 1e-9)
    }

    @Test("Hours under water, also just under the surface, never raise it", arguments: [0.25, 0.5, 0.9, 3])
    func underWater(depth: Double) {
        var sensor = sensor()
        sensor.measure(0, for: 90)
        sensor.measure(depth, for: 30 * 3600, every: 10)
        #expect(abs(sensor.depth - depth) < 1e-9 && sensor.surface == 101)
    }

    @Test("Falling pressure is followed at once, rising pressure after hours out of the water, and never by more than it rose")
    func weather() {
        var sensor = sensor()
        sensor.measure(0, for: 90)
        for step in 0..<100 { sensor.measure(0, for: 60, air: 101 - Double(step) / 100, every: 10) }
        sensor.measure(2, for: 20, air: 100.01)
        #expect(sensor.surface == 100.01 && abs(sensor.depth - 2) < 1e-9)
        sensor.measure(0, for: 3600, air: 100.8, every: 10)
        #expect(sensor.learned(air: 100.8) == 100.01, "after an hour")
        sensor.measure(0, for: 3 * 3600, air: 100.8, every: 10)
        #expect(sensor.learned(air: 100.8) == 100.8)
        // A dive begins the hours anew.
        for _ in 0..<10 {
            sensor.measure(0, for: 2 * 3600, air: 101.5, every: 10)
            sensor.measure(2, for: 60, air: 101.5)
        }
        #expect(sensor.surface == 100.8)
        sensor.measure(0, for: 4 * 3600, air: 102.7, every: 10)
        #expect(sensor.learned(air: 102.7) == 101.8, "at most 1 kPa in 3 h")
    }

    @Test("A single pressure that is far too low is a fault, and changes no later depth")
    func fault() {
        var sensor = sensor()
        sensor.measure(0, for: 90)
        sensor.measure(5, for: 10)
        for pressure in [40, 95, 0, -5, 31.0] {
            sensor.read(pressure)
            sensor.now += 1
            sensor.measure(5, for: 10)
            #expect(sensor.surface == 101 && abs(sensor.depth - 5) < 1e-9)
        }
        for pressure in [Double.nan, .infinity, -.infinity, .greatestFiniteMagnitude] { sensor.read(pressure) }
        #expect(sensor.surface == 101)
    }

    @Test("A new place higher up is learned after a minute")
    func mountain() {
        var sensor = sensor()
        sensor.measure(0, for: 90)
        sensor.measure(0, for: 80, air: 85)
        sensor.measure(4, for: 10, air: 85)
        #expect(sensor.surface == 85 && abs(sensor.depth - 4) < 1e-9)
    }

    @Test("It is kept over a restart")
    func restart() throws {
        var sensor = sensor()
        sensor.measure(0, for: 90)
        sensor.measure(5, for: 10)
        let stored = try JSONEncoder().encode(sensor.harness.derivation)
        sensor.harness.derivation = try JSONDecoder().decode(SubmersionDerivation.self, from: stored)
        sensor.measure(7, for: 10)
        #expect(sensor.surface == 101 && abs(sensor.depth - 7) < 1e-9)
    }

    @Test("No depth is smaller than the true one, whatever the weather and the dives were", .slow, arguments: 0..<10)
    func neverSafer(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var sensor = sensor()
        var air = Double.random(in: 80...102, using: &random)
        sensor.measure(0, for: 90, air: air)
        for _ in 0..<20 {
            // The weather of minutes to hours at the surface; under water it is constant.
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                air = min(104, max(75, air + Double.random(in: -0.2...0.2, using: &random)))
                sensor.measure(0, for: 600, air: air, every: 30)
            }
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                let depth = Double.random(in: 0.3...30, using: &random)
                sensor.measure(depth, for: 120, air: air, every: 30)
                sensor.measure(depth, for: 10, air: air)
                // A state may withhold a depth; it then claims to be deeper.
                #expect(!(sensor.depth < depth - 1e-9), "\(sensor.depth) m instead of \(depth) m")
            }
        }
    }

    @Test("Measurements with a surface pressure of their own learn nothing")
    func own() {
        var harness = SubmersionHarness()
        for second in 0..<200 {
            harness.feed(measurements: [
                SubmersionMeasurement(time: DeviceTime(Double(second)), pressure: 120, surfacePressure: 101)
            ])
        }
        harness.feed(measurements: [SubmersionMeasurement(time: DeviceTime(300), pressure: 120)])
        #expect(harness.changes.allSatisfy { $0.surfacePressure == 101 })
    }
}
