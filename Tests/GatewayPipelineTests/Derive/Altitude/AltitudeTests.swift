import Foundation
import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Altitude")
struct AltitudeTests {
    private let settings = AltitudeSettings()

    /// Samples once a second; `height` gives the relative altitude, `pressure` the pressure.
    private func samples(
        _ seconds: Range<Int>, from start: Double = 100, height: ((Double) -> Double)? = nil,
        pressure: ((Double) -> Double)? = nil
    ) -> AltimeterSamples {
        let times = seconds.map(Double.init)
        return AltimeterSamples(
            timestamp: times.map { start + $0 }, relativeAltitude: height.map { times.map($0) },
            pressure: pressure.map { times.map($0) })
    }

    /// The pressure in kPa at a height in m of the standard atmosphere.
    private func isa(_ height: Double) -> Double { 101.325 * pow(1 - height / 44_330.77, 1 / 0.190263) }

    private func run(_ frames: [AltimeterSamples], saving: Bool = false) throws -> [DerivedEvent] {
        try AltitudeDerivation.run(frames.map { .samples($0) }, settings, saving: saving)
    }

    private func last(_ frames: [AltimeterSamples]) throws -> Altitude {
        try #require(run(frames).compactMap { $0.body as? Altitude }.last)
    }

    /// Up 22.7 m in 60 s, 30 s there, down in 60 s, 30 s there: `count` times.
    private func stairs(_ time: Double) -> Double {
        let phase = time.truncatingRemainder(dividingBy: 180)
        return 22.7 * min(1, max(0, phase < 90 ? phase / 60 : (150 - phase) / 60))
    }

    @Test("A staircase is summed from extreme to extreme, up and down")
    func staircase() throws {
        let altitude = try last([samples(0..<(180 * 11), height: stairs)])
        #expect(abs(altitude.ascent / 11 - 22.7) < 0.2)
        #expect(abs(altitude.descent / 11 - 22.7) < 0.2)
        #expect(abs(altitude.relativeAltitude) < 0.1)
        #expect(altitude.floors == 0)
    }

    @Test("Noise within the hysteresis is not summed, and what is open is")
    func noise() throws {
        var random = SeededGenerator(seed: 7)
        let level = try last([samples(0..<1_200, height: { _ in Double.random(in: -0.7...0.7, using: &random) })])
        #expect(level.ascent == 0 && level.descent == 0)
        let climbing = try last([samples(0..<100, height: { $0 * 0.5 })])
        #expect(abs(climbing.ascent - 48.5) < 2)
        #expect(climbing.floors == 16)
        #expect(abs((climbing.verticalSpeed ?? 0) - 30) < 0.5)
    }

    @Test("Without relative altitude, pressure gives the height")
    func pressure() throws {
        let altitude = try last([samples(0..<180, pressure: { isa(300 + stairs($0)) })])
        #expect(abs(altitude.ascent - 22.7) < 0.2)
        #expect(altitude.pressure != nil)
        // From another pressure the same climb is nearly as high.
        let higher = try last([samples(0..<61, pressure: { isa(1_000) * isa($0) / isa(0) })])
        #expect(abs(higher.relativeAltitude - 57) < 2)
    }

    @Test("An altimeter that starts again moves the zero, not the sum")
    func restarted() throws {
        let before = samples(0..<60, height: { 20 + $0 / 2 }, pressure: { isa(20 + $0 / 2) })
        let after = samples(60..<120, height: { ($0 - 60) / 2 }, pressure: { isa(20 + $0 / 2) })
        let altitude = try last([before, after])
        #expect(abs(altitude.ascent - 58) < 1.5)
        #expect(altitude.descent == 0)
        #expect(abs(altitude.relativeAltitude - 58) < 1.5)
    }

    @Test("A step that nothing can climb is a fault, and not summed")
    func fault() throws {
        let slam = samples(0..<60, height: { (20...22).contains($0) ? 15 : 0 })
        let events = try run([slam])
        #expect(events.filter { $0.quality == .fault }.map(\.time.seconds) == [120, 121, 122])
        #expect((events.last?.body as? Altitude)?.ascent == 0)
        let jump = try run([samples(0..<60, height: { $0 < 20 ? 0 : 80 })])
        #expect(jump.contains { $0.quality == .fault })
        #expect(jump.last?.quality == .valid)
        #expect((jump.last?.body as? Altitude)?.ascent == 0)
        // A lift of 6 m/s is none.
        let lift = try run([samples(0..<60, height: { min(60, $0 * 6) })])
        #expect(lift.allSatisfy { $0.quality == .valid })
        #expect(abs(((lift.last?.body as? Altitude)?.ascent ?? 0) - 60) < 0.5)
    }

    @Test("One wrong pressure beside relative altitude is one fault, and moves no zero")
    func wrongPressure() throws {
        let events = try run([samples(0..<60, height: { $0 / 2 }, pressure: { $0 == 20 ? 50 : isa($0 / 2) })])
        #expect(events.filter { $0.quality == .fault }.map(\.time.seconds) == [120])
        let altitude = try #require(events.last?.body as? Altitude)
        #expect(abs(altitude.ascent - 28) < 2)
    }

    @Test("The weather of a night is not climbed")
    func weather() throws {
        let night = samples(0..<(8 * 3_600), height: { $0 / 3_600 * 7 })
        #expect(try last([night]).ascent == 0)
        #expect(try last([samples(0..<3_600, height: { $0 / 3_600 * 60 })]).ascent > 55)
    }

    @Test("Altitude over the sea is given while it is new, and stands alone where nothing else comes")
    func absolute() throws {
        var frame = samples(0..<10, height: { $0 / 10 })
        frame.absolute = AbsoluteAltitudeSamples(timestamp: [104.5], altitude: [412], accuracy: [3], precision: [0.5])
        let altitudes = try run([frame, samples(10..<60, height: { $0 / 10 })]).compactMap { $0.body as? Altitude }
        #expect(altitudes.prefix(5).allSatisfy { $0.altitude == nil && $0.accuracy == nil })
        #expect(altitudes[5...15].allSatisfy { $0.altitude == 412 && $0.accuracy == 3 && $0.precision == 0.5 })
        #expect(altitudes.last?.altitude == nil)
        let only = AltimeterSamples(
            absolute: AbsoluteAltitudeSamples(
                timestamp: [100, 101, 102], altitude: [400, 401, 402], accuracy: [1, 1, 1], precision: [1, 1, 1]))
        #expect(try run([only]).compactMap { ($0.body as? Altitude)?.altitude } == [400, 401, 402])
    }

    @Test("Relative altitude that begins after altitude over the sea goes on from its height")
    func relativeAfterAbsolute() throws {
        let sea = AltimeterSamples(
            absolute: AbsoluteAltitudeSamples(
                timestamp: [100, 101, 102], altitude: [400, 401, 402], accuracy: [1, 1, 1], precision: [1, 1, 1]))
        let relative = samples(3..<60, height: { ($0 - 3) / 2 }, pressure: { isa(402 + ($0 - 3) / 2) })
        let events = try run([sea, relative], saving: true)
        #expect(events.count == 60 && events.allSatisfy { $0.quality == .valid })
        let altitude = try #require(events.last?.body as? Altitude)
        #expect(abs(altitude.ascent - 28.5) < 2)
    }

    @Test("One a second at most, the same however the samples are cut into frames and the state is written")
    func rate() throws {
        let all = AltimeterSamples(
            timestamp: (0..<100).map { 100 + Double($0) / 10 }, relativeAltitude: (0..<100).map { Double($0) / 20 })
        let events = try run([all])
        #expect(events.count == 10)
        #expect(events.allSatisfy { $0.validUntil == $0.time + 15 && $0.isFinite })
        let cut = stride(from: 0, to: 100, by: 7).map { start in
            let range = start..<min(start + 7, 100)
            return AltimeterSamples(
                timestamp: Array(all.timestamp[range]), relativeAltitude: all.relativeAltitude.map { Array($0[range]) })
        }
        #expect(try run(cut, saving: true) == events)
        #expect(try run([all, all]) == events)
    }

    @Test("A workout and resetCounts begin a session; a pause of the workout does not")
    func session() throws {
        func climb(_ inputs: [AltitudeDerivation.Input]) throws -> Double {
            let first = samples(0..<50, height: { $0 })
            let second = samples(50..<60, height: { $0 })
            let events = try AltitudeDerivation.run([.samples(first)] + inputs + [.samples(second)], settings)
            return try #require(events.last?.body as? Altitude).ascent
        }
        #expect(try climb([]) > 50)
        #expect(try climb([.begin]) < 12)
        #expect(try climb([.workout(.running)]) < 12)
        #expect(try climb([.workout(.paused), .workout(.running)]) > 50)
    }
}
