import Foundation
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Posture")
struct PostureTests {
    private let settings = PostureSettings()

    /// Motion at 25 Hz of a head whose pitch and roll in degrees are given for each time in s.
    private func motion(
        _ seconds: Double, from start: Double = 100, pitch: (Double) -> Double, roll: (Double) -> Double = { _ in 0 }
    ) -> MotionSamples {
        var samples = MotionSamples()
        for index in 0..<Int((seconds * 25).rounded()) {
            let time = Double(index) / 25
            let (up, aside) = (pitch(time) * Double.pi / 180, roll(time) * Double.pi / 180)
            let (side, down) = (sin(aside) * cos(up), -cos(aside) * cos(up))
            let gravity = SIMD3(side, -sin(up), down)
            samples.append(start + time, gravity: gravity)
        }
        return samples
    }

    private func run(_ inputs: [PostureDerivation.Input]) throws -> [Posture] {
        try PostureDerivation.run(inputs, settings, saving: true).compactMap { $0.body as? Posture }
    }

    @Test("A head that is bent for ten seconds has left neutral since it was bent, and is back at once")
    func forward() throws {
        let postures = try run(
            motion(60) { $0 > 10 && $0 < 40 ? -25 : 0 }.frames(of: 5).map { .samples($0, offset: 1e9) })
        #expect(postures.map(\.state) == [.neutral, .forward, .neutral])
        // Smoothed over 2 s, it passes 15 of 25 degrees after 1.8 s, and 10 degrees after as long.
        let bent = try #require(postures.dropFirst().first)
        #expect(abs(bent.since.seconds - 111.85) < 0.15)
        #expect(abs((bent.pitch ?? 0) * 180 / .pi + 25) < 0.5)
        #expect(abs((postures.last?.awayToday ?? 0) - 30) < 0.6)
    }

    @Test("Back, to the side, and nods that do not last")
    func states() throws {
        let back = try run([.samples(motion(30) { $0 > 5 ? 20 : 0 }, offset: 0)])
        #expect(back.map(\.state) == [.neutral, .back])
        let side = try run([.samples(motion(30, pitch: { _ in 0 }, roll: { $0 > 5 ? 30 : 0 }), offset: 0)])
        #expect(side.map(\.state) == [.neutral, .tilted])
        #expect(abs((side.last?.roll ?? 0) * 180 / .pi - 30) < 1)
        let nods = try run([.samples(motion(60) { $0 > 5 ? 40 * sin(Double.pi * $0) : 0 }, offset: 0)])
        #expect(nods.map(\.state) == [.neutral])
        let between = try run([.samples(motion(60) { $0 > 5 ? -13 : 0 }, offset: 0)])
        #expect(between.map(\.state) == [.neutral])
    }

    @Test("Neutral is where the head was when it was calm, and is taken anew by the command")
    func calibration() throws {
        let first = motion(20) { _ in -30 }
        #expect(try run([.samples(first, offset: 0)]).map(\.state) == [.neutral])
        let second = motion(30, from: 120) { _ in 0 }
        #expect(try run([.samples(first, offset: 0), .samples(second, offset: 0)]).map(\.state) == [.neutral, .back])
        let calibrated = try run([
            .samples(first, offset: 0), .calibrate(DeviceTime(120)), .samples(second, offset: 0),
        ])
        #expect(calibrated.map(\.state) == [.neutral])
    }

    @Test("A gap is no time away: a head that is bent before and after it has been bent since it")
    func gap() throws {
        let postures = try run([
            .samples(motion(15) { $0 > 10 ? -25 : 0 }, offset: 0), .samples(motion(30, from: 3_700) { _ in -25 }, offset: 0),
        ])
        #expect(postures.map(\.state) == [.neutral, .forward])
        #expect(abs((postures.last?.since.seconds ?? 0) - 3_700) < 0.1)
        #expect(abs((postures.last?.awayToday ?? 0) - 10) < 0.1)
    }

    @Test("A head that was bent before midnight is away on the new day since midnight")
    func midnight() throws {
        // Bent since 116.85, published ten seconds later; the day begins at 120.
        let postures = try run([.samples(motion(40) { $0 > 15 ? -25 : 0 }, offset: 86_400 * 10_000 - 120)])
        #expect(postures.map(\.state) == [.neutral, .forward])
        #expect(abs((postures.last?.awayToday ?? 0) - 6.85) < 0.3)
    }

    @Test("The day of a device that does not send its wall clock is by the arrival of its frames")
    func arrival() {
        var device = TestDevice(offset: 86_400 * 20_000 - 120)
        device.sendsWallClock = false
        var harness = PipelineHarness()
        let frames = motion(40) { $0 > 15 ? -25 : 0 }.frames(of: 25).map { device.motion($0, on: .headphoneMotion) }
        let postures = harness.send(frames).filter { $0.kind == "posture" }
        #expect(postures.map { $0.text("state") } == ["neutral", "forward"])
        #expect(abs((postures.last?.number("awayToday") ?? 0) - 6.85) < 0.4)
    }

    @Test("A disconnect makes it unknown until the head is calm again; a connect changes nothing")
    func connection() throws {
        func event(_ event: HeadphoneConnectionEvent.Event, _ time: Double) -> PostureDerivation.Input {
            .connection(HeadphoneConnectionEvent(event: event, time: DeviceTime(time)))
        }
        let postures = try run([
            event(.didConnect, 99), .samples(motion(10) { _ in 0 }, offset: 0), event(.didConnect, 109),
            event(.didDisconnect, 110), .samples(motion(20, from: 120) { _ in -40 }, offset: 0),
        ])
        #expect(postures.map(\.state) == [.neutral, .unknown, .neutral])
        #expect(postures[1].since == DeviceTime(110) && postures[1].pitch == nil)
    }

    // MARK: Push-ups

    /// A head that stands, lies down, does push-ups and stands up again: 25 Hz.
    func pushUps(_ count: Int, period: Double, depth: Double, prone: Double = 75, seed: UInt64 = 1) -> MotionSamples {
        var random = SeededGenerator(seed: seed)
        func smooth(_ part: Double) -> Double { part * part * part * (10 + part * (6 * part - 15)) }
        var path: [(down: Double, angle: Double)] = []
        func stay(_ seconds: Double, _ down: Double, _ angle: Double) {
            path += Array(repeating: (down, angle), count: Int(seconds * 25))
        }
        func move(_ seconds: Double, _ from: (Double, Double), _ to: (Double, Double)) {
            let steps = max(3, Int(seconds * 25))
            path += (0..<steps).map { step in
                let part = smooth(Double(step) / Double(steps))
                return (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part)
            }
        }
        stay(6, 0, 0)
        move(2, (0, 0), (1.3, prone))
        stay(2, 1.3, prone)
        for _ in 0..<count {
            let length = period * Double.random(in: 0.94...1.06, using: &random)
            move(length * 0.45, (1.3, prone), (1.3 + depth, prone))
            move(length * 0.45, (1.3 + depth, prone), (1.3, prone))
            stay(length * 0.1, 1.3, prone)
        }
        stay(3, 1.3, prone)
        move(2, (1.3, prone), (0, 0))
        stay(8, 0, 0)
        var samples = MotionSamples()
        for index in path.indices.dropFirst().dropLast() {
            let bend = path[index + 1].down - 2 * path[index].down + path[index - 1].down
            let acceleration = bend * 625 / 9.80665
            let angle = path[index].angle * .pi / 180
            let gravity = SIMD3(0, sin(angle), -cos(angle))
            let noise = Double.random(in: -0.01...0.01, using: &random)
            let measured = -(acceleration + noise)
            samples.append(100 + Double(index) / 25, gravity: gravity, user: gravity * measured)
        }
        return samples
    }

    func counts(_ samples: MotionSamples) throws -> (sets: [RepetitionSet], reported: [Repetition]) {
        let inputs = samples.frames(of: 5).map { PostureDerivation.Input.samples($0, offset: 0) }
        let events = PostureDerivation.events(of: inputs, settings, until: 10_000)
        #expect(events.allSatisfy { $0.isFinite })
        return (events.compactMap { $0.body as? RepetitionSet }, events.compactMap { $0.body as? Repetition })
    }

    static let population: [(count: Int, period: Double, depth: Double)] = (0..<36).map { index in
        let period = 1.3 + 0.06 * Double(index)
        let depth = 0.25 + 0.02 * Double(index % 12)
        return (count: 4 + index % 13, period: period, depth: depth)
    }

    @Test("Samples without gravity after a push-up do not count it again")
    func withoutGravity() throws {
        let entry = Self.population[3]
        var samples = pushUps(entry.count, period: entry.period, depth: entry.depth, seed: 3)
        for index in 551..<581 { samples.gravity[index] = .zero }
        #expect(try counts(samples).sets.map(\.repetitions) == [entry.count])
    }

    @Test("Upright, and without a neutral posture, there are none")
    func upright() throws {
        #expect(try counts(pushUps(8, period: 2, depth: 0.35, prone: 20)).sets.isEmpty)
        let samples = pushUps(8, period: 2, depth: 0.35)
        // From the middle of the exercise on: never calm for 2 s before its end.
        #expect(try counts(samples.slice(255..<600)).sets.isEmpty)
    }

    @Test("Lying down and standing up again is no push-up, and nods are none")
    func negatives() throws {
        #expect(try counts(pushUps(0, period: 2, depth: 0)).sets.isEmpty)
        #expect(try counts(motion(120) { $0 > 5 ? 20 * sin(1.4 * Double.pi * $0) : 0 }).sets.isEmpty)
    }

    @Test("Numbers that are not finite or huge are survived")
    func hostile() throws {
        let samples = MotionSamples.hostile(1_000, hertz: 25) { $0.append($1, gravity: $2, user: $2) }
        #expect(try counts(samples).sets.isEmpty)
    }
}
