import Foundation
import GatewayTestSupport
import TelemetryModel

/// A set of an exercise as people do it: uneven repetitions with pauses, which get slower, between movements that are none; a watch that is worn
/// any way round, at any rate, whose samples are not even.
struct VariedSet {
    /// What moves how far: the wrist in m, its tilt in rad, and a tilt that comes and goes twice in a repetition.
    struct Exercise: Sendable {
        var name: String
        var meters, tilt, halfway: Double
    }

    static let exercises = [
        Exercise(name: "bench press", meters: 0.35, tilt: 0.15, halfway: 0),
        Exercise(name: "row", meters: 0.35, tilt: 0.5, halfway: 0),
        Exercise(name: "squat", meters: 0.5, tilt: 0.1, halfway: 0),
        Exercise(name: "dead lift", meters: 0.55, tilt: 0.15, halfway: 0),
        Exercise(name: "overhead press", meters: 0.5, tilt: 0.25, halfway: 0.25),
        Exercise(name: "curl", meters: 0.3, tilt: 1.8, halfway: 0),
    ]

    let exercise: Exercise
    let repetitions: Int
    /// In Hz.
    let rate: Double
    private let begin: Double
    /// The start and the length of each, and the shares of it in which it goes up, rests, and comes down.
    private let parts: [(start: Double, length: Double, up: Double, rest: Double, down: Double)]
    private let turn: (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>)
    /// What the forearm turns before and after the set, each 10 ms: nothing periodic.
    private let fidgets: [Double]
    private let seed: UInt64

    init(_ exercise: Exercise, repetitions: Int, rate: Double, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func uniform(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
        (self.exercise, self.repetitions, self.rate, self.seed) = (exercise, repetitions, rate, seed)
        begin = uniform(8...14)
        let period = uniform(1.6...3.6)
        let (up, rest, down) = (uniform(0.28...0.42), uniform(0...0.12), uniform(0.3...0.42))
        var start = begin
        parts = (0..<repetitions).map { index in
            // The last ones are slower.
            let length = period * uniform(0.9...1.1) * (1 + 0.2 * Double(index) / Double(repetitions))
            defer { start += length }
            return (start, length, up, rest, down)
        }
        func direction() -> SIMD3<Double> {
            let vector = SIMD3(uniform(-1...1), uniform(-1...1), uniform(-1...1)) + SIMD3(0.01, 0, 0)
            return vector / (vector * vector).sum().squareRoot()
        }
        func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
            SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
        }
        let first = direction()
        let across = cross(first, direction())
        let second = across / (across * across).sum().squareRoot()
        turn = (first, second, cross(first, second))
        // Noise below 0.6 Hz of 3 degrees (RMS).
        var slow = SIMD3<Double>.zero
        let noise = (0..<Int((start + 12) * 100)).map { _ in
            let share = 0.037
            slow.x += (uniform(-1...1) - slow.x) * share
            slow.y += (slow.x - slow.y) * share
            slow.z += (slow.y - slow.z) * share
            return slow.z
        }
        let size = (noise.reduce(0) { $0 + $1 * $1 } / Double(noise.count)).squareRoot()
        fidgets = noise.map { 0.05 * $0 / size }
    }

    /// The seconds of the recording.
    var seconds: Double { (parts.last.map { $0.start + $0.length } ?? begin) + 12 }

    /// How far the repetition has come at `time`, 0 to 1.
    private func place(_ time: Double) -> Double {
        guard let part = parts.last(where: { $0.start <= time }) else { return 0 }
        let share = (time - part.start) / part.length
        func smooth(_ x: Double) -> Double {
            let x = min(max(x, 0), 1)
            return x * x * x * (10 - 15 * x + 6 * x * x)
        }
        return smooth(share / part.up) - smooth((share - part.up - part.rest) / part.down)
    }

    /// The angle about the device's first axis, before it is turned.
    private func angle(_ time: Double) -> Double {
        let place = place(time)
        let end = seconds - 12
        let outside = max(min(1, begin - 1 - time), min(1, time - end - 1, end + 7 - time))
        let fidget = fidgets[min(max(0, Int(time * 100)), fidgets.count - 1)]
        return 0.4 + exercise.tilt * place + exercise.halfway * sin(.pi * place) + fidget * min(1, max(0, outside))
    }

    /// The samples.
    var samples: MotionSamples {
        var random = SeededGenerator(seed: seed &+ 1_000)
        func noise(_ size: Double) -> SIMD3<Double> {
            SIMD3(
                Double.random(in: -size...size, using: &random), Double.random(in: -size...size, using: &random),
                Double.random(in: -size...size, using: &random))
        }
        func turned(_ vector: SIMD3<Double>) -> SIMD3<Double> { turn.0 * vector.x + turn.1 * vector.y + turn.2 * vector.z }
        var samples = MotionSamples()
        let step = 0.01
        for index in 0..<Int(seconds * rate) {
            let time = (Double(index) + Double.random(in: -0.2...0.2, using: &random)) / rate
            let angle = angle(time)
            let lift = place(time + step) - 2 * place(time) + place(time - step)
            let acceleration = exercise.meters * lift / (step * step) / 9.81
            let down = SIMD3(0, -sin(angle), -cos(angle))
            let speed = (self.angle(time + step) - self.angle(time - step)) / (2 * step)
            samples.append(
                1_000 + time, gravity: turned(down), rate: turned(SIMD3(speed, 0, 0)) + noise(0.06),
                user: turned(down * -acceleration) + noise(0.03))
        }
        return samples
    }
}
