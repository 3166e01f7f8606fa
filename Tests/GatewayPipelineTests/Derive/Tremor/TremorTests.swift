import Foundation
import GatewayPipeline
import GatewayTestSupport
import SignalProcessing
import TelemetryModel
import Testing

@Suite("Tremor")
struct TremorTests {
    private let settings = TremorSettings.with { $0.isPermitted = true }

    /// A resting wrist at 100 Hz with a tremor of an amplitude in G, after `from` s; `noise` in G.
    private func wrist(
        _ seconds: Double, hertz: Double, amplitude: Double, from: Double = 0, noise: Double = 0.001, start: Double = 120
    ) -> MotionSamples {
        var random = SeededGenerator(seed: 1)
        var samples = MotionSamples()
        for index in 0..<Int(seconds * 100) {
            let time = Double(index) / 100
            let motion = time >= from ? amplitude * sin(2 * .pi * hertz * time) : 0
            let error = SIMD3(
                Double.random(in: -noise...noise, using: &random), Double.random(in: -noise...noise, using: &random),
                Double.random(in: -noise...noise, using: &random))
            samples.append(start + time, gravity: SIMD3(0, 0, -1), user: SIMD3(motion, 0, 0) + error)
        }
        return samples
    }

    private func run(_ samples: MotionSamples, _ settings: TremorSettings) throws -> [Tremor] {
        let events = try TremorDerivation.run(samples.frames(of: 50), settings, saving: samples.count < 20_000)
        #expect(events.allSatisfy { $0.isFinite })
        return events.compactMap { $0.body as? Tremor }
    }

    @Test(
        "A known tremor is found with its frequency and its amplitude", .slow,
        arguments: [(3.5, 0.05), (3.5, 0.5), (4.5, 0.1), (5, 0.3), (6.25, 0.3), (7, 0.05)])
    func known(hertz: Double, amplitude: Double) throws {
        let minutes = try run(wrist(190, hertz: hertz, amplitude: amplitude), settings)
        #expect(minutes.count == 3)
        let minute = try #require(minutes.dropFirst().first)
        #expect(minute.start == DeviceTime(180) && minute.end == DeviceTime(240))
        #expect(minute.none == 0 && minute.unknown == 0 && minute.coverage == 1)
        #expect(abs((minute.frequency ?? 0) - hertz) < 0.13)
        // From peak to peak, in cm.
        let expected = 200 * 9.80665 * amplitude / pow(2 * .pi * hertz, 2)
        #expect(abs((minute.amplitude ?? 0) / expected - 1) < 0.05)
        let grade = expected < 1 ? minute.slight : expected < 3 ? minute.mild : minute.moderate
        #expect(grade == 1)
    }

    @Test("The shares of a minute sum to 1, and a minute of which less than half is known is none", .slow)
    func shares() throws {
        let minutes = try run(wrist(125, hertz: 5, amplitude: 0.1, from: 30), settings)
        let first = try #require(minutes.first)
        let sum = [first.unknown, first.none, first.slight, first.mild, first.moderate, first.severe].reduce(0, +)
        #expect(abs(sum - 1) < 1e-12)
        #expect(abs(first.slight - 0.5) < 0.1 && first.none > 0.3 && first.unknown > 0)
        #expect(try run(wrist(25, hertz: 5, amplitude: 0.1), settings).isEmpty)
        var torn = wrist(20, hertz: 5, amplitude: 0.1)
        let later = wrist(75, hertz: 5, amplitude: 0.1, start: 170)
        for index in 0..<later.count {
            torn.append(later.timestamp[index], gravity: later.gravity[index], user: later.userAcceleration[index])
        }
        let known = try run(torn, settings)
        #expect(known.map(\.start) == [DeviceTime(180)])
    }

    @Test("Stillness, steps, faster and slower motion, and tremor with a subharmonic are none", .slow)
    func negatives() throws {
        func shares(_ samples: MotionSamples) throws -> [Double] { try run(samples, settings).map(\.none) }
        #expect(try shares(wrist(130, hertz: 5, amplitude: 0)).allSatisfy { $0 > 0.9 })
        for hertz in [1.0, 2, 9, 11] {
            #expect(try run(wrist(130, hertz: hertz, amplitude: 0.2), settings).allSatisfy { $0.frequency == nil }, "\(hertz)")
        }
        var gait = wrist(130, hertz: 5, amplitude: 0.1)
        let half = wrist(130, hertz: 2.5, amplitude: 0.06)
        for index in 0..<gait.count { gait.userAcceleration.x[index] += half.userAcceleration.x[index] }
        #expect(try run(gait, settings).allSatisfy { $0.frequency == nil })
    }

    @Test("Tremor of an arm that moves is action, and one of more than 0.3 G is unknown", .slow)
    func action() throws {
        func minute(_ tremor: Double, moving: Double) throws -> Tremor? {
            var samples = wrist(130, hertz: 5.5, amplitude: tremor)
            let sway = wrist(130, hertz: 0.8, amplitude: moving)
            for index in 0..<samples.count { samples.userAcceleration.y[index] += sway.userAcceleration.x[index] }
            return try run(samples, settings).dropFirst().first
        }
        // The RMS of a sine is 0.71 of its amplitude.
        let rest = try #require(try minute(0.2, moving: 0.05))
        #expect(rest.rest == 1 && rest.action == 0 && rest.slight == 1)
        let action = try #require(try minute(0.4, moving: 0.15))
        #expect(action.rest == 0 && action.action == 1 && action.slight == 1)
        // Like brushing teeth: no minute, as nothing of it is known.
        #expect(try minute(0.7, moving: 0.15) == nil)
        // A strong tremor of a resting arm is one.
        #expect(try minute(0.7, moving: 0.05)?.rest == 1)
    }

    @Test("Without consent, or without a known wrist, nothing is kept or published", .slow)
    func consent() throws {
        var derivation = TremorDerivation()
        let samples = wrist(130, hertz: 5, amplitude: 0.1)
        #expect(derivation.take(samples, TremorSettings()).isEmpty)
        #expect(derivation.due(settings: TremorSettings()) == nil)
        func published(_ change: (inout DevicePolicy) -> Void) -> Int {
            let settings = PipelineSettings.with { $0.derive.setEnabled(TremorDerivation.self, true) }
            var harness = PipelineHarness(settings: settings, policy: PipelineHarness.policy("d1", .with(change)))
            var device = TestDevice()
            var messages: [DerivedJSON] = []
            for frame in samples.frames(of: 100) { messages += harness.send(device.motion(frame)) }
            return (messages + harness.end()).count { $0.kind == "tremor" }
        }
        #expect(published { ($0.wrist, $0.consents) = (.left, [.tremor]) } > 0)
        #expect(published { ($0.wrist, $0.consents) = (.left, [.sleep]) } == 0)
        #expect(published { ($0.wrist, $0.consents) = (nil, [.tremor]) } == 0)
    }

    @Test("A minute whose samples stop is published when its wait is over")
    func silence() {
        var derivation = TremorDerivation()
        #expect(derivation.take(wrist(50, hertz: 5, amplitude: 0.1), settings).isEmpty)
        #expect(derivation.due(settings: settings) == DeviceTime(185))
        #expect(derivation.wait(until: 185, settings).count == 1)
        #expect(derivation.due(settings: settings) == nil)
    }

    @Test("A minute that was published is not published again by samples of it that come after its wait")
    func lateSamples() {
        var derivation = TremorDerivation()
        // The minute from 180 s on, half of it before the wait and half after it.
        let early = wrist(40.02, hertz: 5, amplitude: 0.1, start: 170)
        let late = wrist(32, hertz: 5, amplitude: 0.1, start: 210.02)
        #expect(derivation.take(early, settings).isEmpty)
        #expect(derivation.wait(until: 245, settings).count == 1)
        #expect(derivation.take(late, settings).isEmpty)
        #expect(derivation.due(settings: settings) == DeviceTime(305))
    }

    /// Recorded acceleration at 50 Hz with a tremor of 0.1 G at 5 Hz.
    private func recorded(from start: Double, seconds: Int) -> [HistoryDevice.Sample] {
        (0..<seconds * 50).map { index in
            let time = Double(index) / 50
            return HistoryDevice.Sample(start + time, 0.1 * sin(10 * Double.pi * time), 0, -1)
        }
    }

    @Test("Recorded acceleration gives the minutes of UTC, and late samples a revision of theirs alone", .slow)
    func history() throws {
        var policy = DevicePolicy.with { ($0.wrist, $0.consents) = (.left, [.tremor]) }
        let settings = PipelineSettings.with { $0.derive.setEnabled(TremorDerivation.self, true) }
        let midnight = 1_763_769_600.0
        // Five minutes from one before midnight, of which 20 s are missing at first.
        let start = midnight - 60
        let samples = recorded(from: start, seconds: 300)
        let (missing, rest) = (samples[9_000..<10_000], Array(samples[..<9_000] + samples[10_000...]))
        func run(_ policy: DevicePolicy, _ bursts: [[HistoryDevice.Sample]]) -> [[DerivedJSON]] {
            var harness = PipelineHarness(settings: settings, policy: PipelineHarness.policy("watch-1", policy))
            var device = HistoryDevice(start: start - 1_000)
            var sent = start + 1_000
            return bursts.map { burst in
                var messages = harness.send(device.frames(burst, sent: sent))
                messages += harness.tick(at: sent + 1_000)
                sent += 1_100
                return messages.filter { $0.kind == "tremor" }
            }
        }
        let found = run(policy, [rest, Array(missing), rest])
        #expect(found[0].compactMap { $0.number("start") } == (0..<5).map { start + 60 * Double($0) })
        #expect(
            found[0].allSatisfy { $0.number("deviceTime") == nil && $0.number("revision") == 0 && $0.number("frequency") == 5 })
        #expect(abs((found[0][3].number("coverage") ?? 0) - 0.6) < 0.1)
        #expect(found[1].compactMap { $0.number("start") } == [start + 180])
        #expect(found[1].allSatisfy { $0.number("revision") == 1 && ($0.number("coverage") ?? 0) == 1 })
        #expect(found[2].isEmpty, "nothing has changed")
        #expect(Set((found[0] + found[1]).compactMap { $0.text("id") }).count == 6)
        policy.consents = [.sleep]
        #expect(run(policy, [samples])[0].isEmpty)
    }

    @Test("The power of a sine is found where it is")
    func welch() {
        let welch = Welch(count: 200, sampleHertz: 50, highest: 12.5)
        let signal = (0..<200).map { (index: Int) -> Double in
            let wave = sin(Double.pi * Double(index) / 5)
            return 3 + 0.01 * Double(index) + 2 * wave
        }
        let powers = welch.powers(of: signal)
        #expect(welch.resolution == 0.25)
        #expect(powers.indices.max { powers[$0] < powers[$1] } == 20)
        #expect(abs(powers[17...23].reduce(0, +) - 2) < 0.05)
    }

    @Test("Numbers that are not finite or huge are survived")
    func hostile() throws {
        let samples = MotionSamples.hostile(4_000) { $0.append($1, gravity: $2, user: $2) }
        #expect(try run(samples, settings).allSatisfy { $0.frequency == nil })
    }
}
