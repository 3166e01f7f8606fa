import FleetSimulator
import Foundation
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Punches")
struct PunchTests {
    private static func settings(
        isOn: Bool = true, _ change: (inout PunchSettings) -> Void = { _ in }
    ) -> PipelineSettings {
        var settings = PipelineHarness.settings
        settings.derive.setEnabled(PunchDerivation.self, isOn)
        change(&settings.derive[PunchDerivation.self])
        return settings
    }

    private func boxer(activity: String = "boxing", seed: UInt64 = 1, seconds: Double = 62) -> Boxer {
        Boxer(
            DeviceOrigin(device: "boxer", unix: 1_763_749_000, uptime: 5_321.25, seed: seed, duration: seconds),
            options: BoxerOptions(activity: activity))
    }

    private func punches(_ messages: [DerivedJSON]) -> [DerivedJSON] { messages.filter { $0.kind == "punch" } }

    @Test("Every simulated punch is found at its time, with its strength", .slow, arguments: [1, 2, 3] as [UInt64])
    func simulated(seed: UInt64) throws {
        let boxer = boxer(seed: seed)
        let truth = boxer.truth(through: 61)
        let found = punches(PipelineHarness.run(boxer, settings: Self.settings()))
        try #require(found.count == truth.count)
        for (punch, (number, expected)) in zip(found, truth.enumerated()) {
            #expect(abs((punch.number("impactAt") ?? 0) - 1_763_749_000 - expected.impact) < 0.011)
            // The simulated force has a fifth of its size on another axis.
            #expect(abs((punch.number("peakAcceleration") ?? 0) / (expected.peak * 1.0198) - 1) < 0.03)
            #expect(punch.number("count") == Double(number + 1))
            #expect(punch.text("direction") == "x" && punch.text("hand") == "left")
            #expect(punch.number("sampleRate") == 100)
            #expect(abs((punch.number("recoil") ?? 0) - SimulatedPunch.recoil) < 0.1)
            #expect(abs((punch.number("recoilTime") ?? 0) - SimulatedPunch.recoilTime) < 0.03)
            #expect((punch.number("speedBefore") ?? 0) > 0)
        }
    }

    @Test("Without a workout of boxing there is none, unless they always count", .slow)
    func activity() {
        let tennis = boxer(activity: "tennis")
        #expect(punches(PipelineHarness.run(tennis, settings: Self.settings())).isEmpty)
        #expect(!punches(PipelineHarness.run(tennis, settings: Self.settings { $0.always = true })).isEmpty)
        #expect(!punches(PipelineHarness.run(boxer(activity: "kickboxing"), settings: Self.settings())).isEmpty)
        #expect(!punches(PipelineHarness.run(tennis, settings: Self.settings { $0.activities = ["tennis"] })).isEmpty)
        #expect(["tennis", "", "two words"].map { ActivityName($0)?.description } == ["tennis", nil, nil])
        #expect(!punches(PipelineHarness.run(boxer(), settings: PipelineHarness.settings)).isEmpty)
        #expect(punches(PipelineHarness.run(boxer(), settings: Self.settings(isOn: false))).isEmpty)
    }

    @Test("Frames shuffled within 2 s change nothing", .slow)
    func shuffled() {
        let once = punches(PipelineHarness.run(boxer(), settings: Self.settings())).map(\.lasting)
        #expect(!once.isEmpty)
        for seed in [4, 5] as [UInt64] {
            #expect(punches(PipelineHarness.run(boxer(), settings: Self.settings(), shuffled: seed)).map(\.lasting) == once)
        }
    }

    private func samples(
        _ peaks: [(time: Double, value: Double)], until end: Double = 10, hertz: Double = 100
    ) -> MotionSamples {
        var samples = MotionSamples()
        for index in 0..<Int(end * hertz) {
            let time = Double(index) / hertz
            let value = peaks.first { abs($0.time - time) < 0.4 / hertz }?.value ?? 0
            samples.append(100 + time, gravity: SIMD3(0, 0, -1), user: SIMD3(0, value, 0))
        }
        return samples
    }

    private func found(_ peaks: [(time: Double, value: Double)]) throws -> [Punch] {
        try PunchDerivation.run(
            samples(peaks).frames(of: 37).map { .motion($0) }, .with { $0.always = true }, saving: true
        ).compactMap { $0.body as? Punch }
    }

    @Test("The thresholds without a workout: 2.5 G, 0.35 s apart, and two fifths of the median of the last ten")
    func thresholds() throws {
        #expect(try found([(2, 2.4), (4, 2.6)]).map(\.peakAcceleration) == [2.6])
        #expect(try found([(2, 5), (2.3, 6), (4, 5), (4.4, 5)]).map(\.peakAcceleration) == [6, 5, 5])
        #expect(try found([(2, 10), (3, 10), (4, 3.5), (5, 4.5)]).map(\.peakAcceleration) == [10, 10, 4.5])
        #expect(try found([(2, -5)]).map(\.direction) == [.y])
    }

    @Test("In a workout of boxing weak ones count from 1 G on")
    func weak() throws {
        #expect(try found([(2, 2.6), (4, 1.2), (5, 0.9)]).map(\.peakAcceleration) == [2.6])
        let motion = samples([(2, 1.2), (3, 0.9), (4, 1.1)]).frames(of: 37).map { PunchDerivation.Input.motion($0) }
        let workout = WorkoutChange(state: .running, activity: "boxing", time: DeviceTime(100))
        let boxing = try PunchDerivation.run([.workout(workout)] + motion, PunchSettings()).compactMap { $0.body as? Punch }
        #expect(boxing.map(\.peakAcceleration) == [1.2, 1.1])
        #expect(try PunchDerivation.run(motion, .with { $0.always = true }).isEmpty)
    }

    @Test("At 20 Hz they are half a second apart and three fifths of the median; one of 2.5 G shows boxing for 30 s")
    func smooth() throws {
        func found(_ peaks: [(time: Double, value: Double)]) throws -> [Double] {
            let frames = samples(peaks, until: 50, hertz: 20).frames(of: 7)
            return try PunchDerivation.run(frames.map { .motion($0) }, .with { $0.always = true }, saving: true)
                .compactMap { ($0.body as? Punch)?.peakAcceleration }
        }
        #expect(try found([(2, 5), (2.4, 4), (4, 5), (4.5, 5)]) == [5, 5, 5])
        #expect(try found([(2, 10), (3, 10), (4, 5.5), (5, 6.5)]) == [10, 10, 6.5])
        #expect(try found([(2, 1.7), (4, 2.6), (6, 1.7), (34.5, 1.7)]) == [2.6, 1.7])
    }

    @Test("A workout that is known only after its punches counts them all the same; counts begin with it")
    func lateWorkout() {
        let settings = PunchSettings()
        var derivation = PunchDerivation()
        #expect(derivation.take(.motion(samples([(2, 5), (3, 5)], until: 4)), settings).isEmpty)
        let change = WorkoutChange(state: .running, activity: "boxing", time: DeviceTime(102.5))
        let punches = derivation.take(.workout(change), settings).compactMap { $0.body as? Punch }
        #expect(punches.map(\.impactAt) == [DeviceTime(103)])
        #expect(punches.map(\.count) == [1])
        #expect(derivation.take(.resetCounts, settings).isEmpty)
    }

    @Test("A gap lowers neither the rate of the samples after it nor that of a punch before it")
    func gap() throws {
        let all = samples([(2, 10), (3, 10), (6.02, 5), (7, 10)])
        let inputs = [all.slice(0..<360), all.slice(600..<702), all.slice(900..<1_000)]
            .flatMap { $0.frames(of: 37) }.map { PunchDerivation.Input.motion($0) }
        let punches = try PunchDerivation.run(inputs, .with { $0.always = true }, saving: true).compactMap { $0.body as? Punch }
        #expect(punches.map(\.peakAcceleration) == [10, 10, 5, 10])
        #expect(punches.map(\.sampleRate) == [100, 100, 100, 100])
        #expect(punches.allSatisfy { $0.direction == .y })
    }

    /// What the accelerometer measures in 3 s with one blow.
    private func blow() -> AccelerometerSamples {
        var samples = AccelerometerSamples()
        for index in 0..<2_400 {
            let time = Double(index) / 800
            let value = abs(time - 1.5) < 0.005 ? 9.0 * cos(.pi * (time - 1.5) / 0.01) : 0
            samples.timestamp.append(100 + time)
            samples.acceleration.append(SIMD3(value, 0, -1))
        }
        return samples
    }

    @Test("From a batch the accelerometer's length less gravity counts, whatever the motion beside it")
    func batches() throws {
        let batch = blow()
        let punches = try PunchDerivation.run(
            [
                .batch(BatchedIMU(accelerometer: batch.slice(0..<900))),
                .batch(BatchedIMU(accelerometer: batch.slice(900..<2_400), deviceMotion: samples([(1.5, 20)], until: 3))),
            ], .with { $0.always = true }, saving: true
        ).compactMap { $0.body as? Punch }
        #expect(punches.count == 1)
        #expect(punches.first?.sampleRate == 800)
        #expect(abs((punches.first?.peakAcceleration ?? 0) - (82.0.squareRoot() - 1)) < 0.02)
    }

    @Test("The first batch is measured by its accelerometer, wherever batches end")
    func firstBatch() throws {
        let accelerometer = blow()
        let motion = samples([(1.5, 20)], until: 3)
        let whole = BatchedIMU(accelerometer: accelerometer, deviceMotion: motion)
        let half = motion.count / 2
        let halves = [
            BatchedIMU(accelerometer: accelerometer.slice(0..<1_200), deviceMotion: motion.slice(0..<half)),
            BatchedIMU(accelerometer: accelerometer.slice(1_200..<2_400), deviceMotion: motion.slice(half..<motion.count)),
        ]
        let settings = PunchSettings.with { $0.always = true }
        let punches = try [[whole], halves].map { batches in
            try PunchDerivation.run(batches.map { .batch($0) }, settings, saving: true).compactMap { $0.body as? Punch }
        }
        #expect(punches[0].map(\.sampleRate) == [800])
        #expect(punches[0] == punches[1])
    }

    @Test("What waits is published when no samples follow")
    func silence() {
        let settings = PunchSettings.with { $0.always = true }
        var derivation = PunchDerivation()
        #expect(derivation.take(.motion(samples([(2, 5)], until: 2.02)), settings).isEmpty)
        #expect(derivation.due(settings: settings) == DeviceTime(102.01 + 3))
        #expect(derivation.wait(until: 106, settings).count == 1)
        #expect(derivation.due(settings: settings) == nil)
    }

    @Test("Numbers that are not finite or huge are survived")
    func hostile() throws {
        let samples = MotionSamples.hostile(500, usual: 3) { $0.append($1, gravity: SIMD3(0, 0, -1), user: $2) }
        let events = try PunchDerivation.run([.motion(samples)], .with { $0.always = true }, saving: true)
        #expect(events.allSatisfy { $0.isFinite })
    }

    @Test("A tennis rally at 800 Hz has none", .recorded)
    func rally() throws {
        let (frames, impacts) = try RecordedRally.frames(ending: 1_763_749_100)
        #expect(impacts.count == 7)
        var harness = PipelineHarness(settings: Self.settings())
        #expect(punches(harness.send(frames) + harness.end()).isEmpty)
        var always = PipelineHarness(settings: Self.settings { $0.always = true })
        #expect(punches(always.send(frames) + always.end()).count == 7)
    }
}
