import FleetSimulator
import Foundation
@testable import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

/// Sets at the ends of a stream, sets in and outside of workouts, and motion that is no exercise.
@Suite("Cut sets, workouts and walking")
struct CutSetTests {
    private let always = RepetitionSettings.with { $0.always = true }

    /// A forearm that turns by 1 rad `count` times, without rest before and after; `first` s later than 100 s.
    private func curls(_ count: Int, period: Double, from first: Double = 0, hertz: Double = 50) -> MotionSamples {
        var samples = MotionSamples()
        for index in 0..<Int(Double(count) * period * hertz) {
            let time = Double(index) / hertz
            let angle = 0.5 * (1 - cos(2 * .pi * time / period))
            samples.append(
                100 + first + time, gravity: SIMD3(0, -sin(angle), -cos(angle)),
                rate: SIMD3(.pi / period * sin(2 * .pi * time / period), 0, 0))
        }
        return samples
    }

    private func sets(_ events: [DerivedEvent]) -> [Int] { events.compactMap { ($0.body as? RepetitionSet)?.repetitions } }

    @Test("A set that begins and ends with the stream is counted whole", arguments: [1.1, 1.5, 2, 2.6, 3.4])
    func cut(period: Double) throws {
        for count in [6, 10, 20] {
            for size in [7, 50, 333] {
                var derivation = RepetitionDerivation()
                var events: [DerivedEvent] = []
                for frame in curls(count, period: period).frames(of: size) { events += derivation.take(.samples(frame), always) }
                #expect(derivation.due(settings: always) != nil)
                events += derivation.wait(until: .infinity, always)
                #expect(sets(events) == [count], "\(period) s, frames of \(size)")
                // Not after the last sample: a session that ends with it counts the set.
                let end = events.compactMap { ($0.body as? RepetitionSet)?.end.seconds }.first ?? .infinity
                #expect(end <= 100 + Double(count) * period)
                #expect(derivation.due(settings: always) == nil)
            }
        }
    }

    @Test("A set that is shorter than the window is found at its end, and where a gap follows it")
    func short() {
        var derivation = RepetitionDerivation()
        #expect(derivation.take(.samples(curls(5, period: 1.4)), always).isEmpty)
        #expect(sets(derivation.wait(until: 112.1, always)) == [5])
        derivation = RepetitionDerivation()
        _ = derivation.take(.samples(curls(5, period: 1.4)), always)
        #expect(sets(derivation.take(.samples(curls(1, period: 1.4, from: 10)), always)) == [5])
    }

    @Test("Sets count in workouts of the activities only, by the time of each sample; the end of a workout ends a set")
    func workouts() {
        func change(_ state: WorkoutState, _ activity: String, at time: Double) -> RepetitionDerivation.Input {
            .workout(WorkoutChange(state: state, activity: activity, time: DeviceTime(time)))
        }
        func found(_ inputs: [RepetitionDerivation.Input], _ settings: RepetitionSettings = RepetitionSettings()) -> [Int] {
            sets(RepetitionDerivation.events(of: inputs, settings, until: .infinity))
        }
        let samples = RepetitionDerivation.Input.samples(curls(10, period: 2))
        let strength = "traditionalStrengthTraining"
        #expect(found([samples]).isEmpty)
        #expect(found([change(.running, "running", at: 90), samples]).isEmpty)
        #expect(found([change(.running, strength, at: 90), samples]) == [10])
        #expect(found([change(.running, "rowing", at: 90), samples], .with { $0.activities = ["rowing"] }) == [10])
        #expect(found([samples], always) == [10])
        // It ends in the middle, and the samples after that arrive as before.
        let ended = found([change(.running, strength, at: 90), change(.ended, strength, at: 112), samples])
        #expect(ended == [6])
    }

    @Test("Steps and the swing of an arm are no set", arguments: [1.5, 1.8, 2.1])
    func walking(steps: Double) throws {
        var samples = MotionSamples()
        var random = SeededGenerator(seed: 3)
        for index in 0..<3_000 {
            let time = Double(index) / 50
            let (swing, step) = (sin(.pi * steps * time), 2 * .pi * steps * time)
            let angle = 0.35 * swing
            func noise() -> Double { Double.random(in: -0.05...0.05, using: &random) }
            samples.append(
                100 + time, gravity: SIMD3(0, -sin(angle), -cos(angle)), rate: SIMD3(swing, 0, 0),
                user: SIMD3(noise(), noise(), 0.25 * sin(step) + 0.1 * sin(2 * step) + noise()))
        }
        let inputs = samples.frames(of: 50).map { RepetitionDerivation.Input.samples($0) }
        #expect(try RepetitionDerivation.run(inputs, always).isEmpty)
        // It is a set but for its steps.
        let ungated = RepetitionSettings.with { ($0.always, $0.stepHeight, $0.leastProbability) = (true, 2, 0) }
        #expect(try !RepetitionDerivation.run(inputs, ungated, saving: true).isEmpty)
    }

    @Test("What a wrist does in a walk is no exercise, regular slow motion is one, and a short one is doubtful")
    func judged() {
        // The medians of walks and of sets in people/hmp and people/spar.
        #expect(SetCoefficients.exercise([-0.13, 0.75, -0.74, 0.88, log(12), 0.2]) < SetCoefficients.threshold)
        #expect(SetCoefficients.exercise([-1.28, 0.13, -2.15, 0.97, log(12), 0.05]) > 0.95)
        #expect(SetCoefficients.exercise([-0.5, 0.3, -1.3, 0.62, log(3), 0.15]) < SetCoefficients.threshold)
    }

    @Test("A set has a confidence from 0 to 1, finite whatever the motion")
    func confidence() throws {
        var derivation = RepetitionDerivation()
        _ = derivation.take(.samples(curls(10, period: 2)), always)
        let set = try #require(derivation.wait(until: .infinity, always).compactMap { $0.body as? RepetitionSet }.first)
        #expect((0.5...1).contains(set.confidence ?? 0))
        for features in [[1e300, -1e300, 0, 1, 1, 1], [-1e300, 1e300, 1, 0, 0, 0]] {
            #expect((0...1).contains(SetCoefficients.exercise(features)))
            #expect(SetCoefficients.right(features) <= SetCoefficients.exercise(features))
        }
    }
}
