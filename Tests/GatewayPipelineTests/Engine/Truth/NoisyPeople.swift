import Foundation
import GatewayPipeline
import GatewayTestSupport
import TelemetryModel

/// Half a sine wave in a signal.
private func add(_ peak: Double, from start: Double, lasting seconds: Double, to signal: inout [Double], hertz: Double) {
    let (first, count) = (Int(start * hertz), Int((seconds * hertz).rounded()))
    for index in 0..<count where first + index < signal.count {
        signal[first + index] += peak * sin(.pi * (Double(index) + 0.5) / Double(count))
    }
}

extension SeededGenerator {
    /// A number that is evenly distributed.
    fileprivate mutating func number(in range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &self) }

    /// A number of the normal distribution.
    fileprivate mutating func normal(_ sigma: Double) -> Double {
        sigma * (-2 * log(number(in: 1e-12...1))).squareRoot() * cos(2 * .pi * number(in: 0...1))
    }

    fileprivate mutating func sign() -> Double { Bool.random(using: &self) ? 1 : -1 }
}

/// A boxer who also blocks, claps and hops; as in Benchmarks/truth/fit_confidence.py.
struct NoisyBoxer {
    /// The length of the recording in s.
    let seconds = 180.0
    /// The instants of the punches.
    private(set) var truth: [Double] = []
    private var signal: [Double]
    private static let hertz = 100.0

    init(seed: UInt64, strengths: ClosedRange<Double> = 0.25...1.3, othersShare: Double = 0.4) {
        var random = SeededGenerator(seed: seed)
        signal = (0..<Int(seconds * Self.hertz)).map { _ in random.normal(0.05) }
        let strength = random.number(in: strengths)
        var time = 2.0
        while time < seconds - 5 {
            let kind = random.number(in: 0...1)
            if kind < othersShare * 0.625 {
                let peak = random.sign() * random.number(in: 0.6...5)
                add(peak, from: time, lasting: random.number(in: 0.05...0.2), to: &signal, hertz: Self.hertz)
                time += random.number(in: 0.5...1.5)
            } else if kind < othersShare {
                let (height, pace, beats) = (
                    random.number(in: 0.4...1.6), random.number(in: 0.3...0.5), Int.random(in: 3...8, using: &random)
                )
                for beat in 0..<beats {
                    let peak = height * random.number(in: 0.7...1.2)
                    add(peak, from: time + Double(beat) * pace, lasting: 0.15, to: &signal, hertz: Self.hertz)
                }
                time += Double(beats) * pace + 0.5
            } else {
                let peak = 10 * strength * random.number(in: 0.6...1.4)
                add(0.2 * peak, from: time, lasting: 0.16, to: &signal, hertz: Self.hertz)
                add(-peak, from: time + 0.16, lasting: 0.04, to: &signal, hertz: Self.hertz)
                add(0.1 * peak, from: time + 0.2, lasting: 0.16, to: &signal, hertz: Self.hertz)
                truth.append(time + 0.18)
                time += 0.55 - 0.5 * log(random.number(in: 1e-6...1))
            }
        }
    }

    /// Device motion of so many samples a second, each the mean of those of 100 Hz; the first is at 100 s.
    func samples(hertz: Double) -> MotionSamples {
        let step = Int(Self.hertz / hertz)
        var samples = MotionSamples()
        for start in stride(from: 0, to: signal.count - step + 1, by: step) {
            let mean = signal[start..<(start + step)].reduce(0, +) / Double(step)
            let time = 100 + (Double(start) + Double(step - 1) / 2) / Self.hertz
            samples.append(time, gravity: SIMD3(0, 0, -1), user: SIMD3(mean, 0, 0))
        }
        return samples
    }

    /// Whether each of the instants of samples is that of a punch, each of which counts once.
    func matches(_ instants: [Double], within seconds: Double) -> [Bool] {
        var left = truth
        return instants.map { instant in
            guard let index = left.firstIndex(where: { abs(100 + $0 - instant) < seconds }) else { return false }
            left.remove(at: index)
            return true
        }
    }
}

/// A player of tennis or table tennis whose arm also does something else; as in Benchmarks/truth/fit_confidence.py.
struct NoisyPlayer {
    /// A stroke: its instant, and the sense of its rotation.
    private(set) var truth: [(time: Double, sign: Double)] = []
    /// The rotation about gravity at 50 Hz.
    private(set) var samples = MotionSamples()
    private static let hertz = 50.0

    init(seed: UInt64, isTableTennis: Bool, seconds: Double = 300) {
        var random = SeededGenerator(seed: seed)
        var signal = (0..<Int(seconds * Self.hertz)).map { _ in random.normal(0.4) }
        let strength = random.number(in: 0.5...1.4)
        var time = 2.0
        while time < seconds - 5 {
            if random.number(in: 0...1) < 0.3 {
                let peak = random.sign() * random.number(in: 3...(isTableTennis ? 14 : 9))
                add(peak, from: time, lasting: random.number(in: 0.15...0.7), to: &signal, hertz: Self.hertz)
                time += random.number(in: 0.9...2)
                continue
            }
            let (sign, share) = (random.sign(), random.number(in: 0.7...1.2))
            let peak = (isTableTennis ? 18 : 11) * strength * share
            let length = isTableTennis ? random.number(in: 0.16...0.26) : random.number(in: 0.3...0.55)
            add(-sign * peak * random.number(in: 0.2...0.6), from: time, lasting: 0.26, to: &signal, hertz: Self.hertz)
            add(sign * peak, from: time + 0.26, lasting: length, to: &signal, hertz: Self.hertz)
            truth.append((time + 0.26 + length / 2, sign))
            let back = -sign * peak * random.number(in: 0.15...0.35)
            add(back, from: time + 0.26 + length, lasting: 0.44, to: &signal, hertz: Self.hertz)
            time += 0.7 + length + (isTableTennis ? random.number(in: 0.3...1.5) : random.number(in: 1.5...4))
        }
        for (index, rate) in signal.enumerated() {
            let time = 100 + Double(index) / Self.hertz
            samples.append(time, gravity: SIMD3(0, 0, -1), rate: SIMD3(0, 0, -rate))
        }
    }

    /// Whether each of the strokes is one of the player's, with its name on the left wrist.
    func matches(_ strokes: [(time: Double, name: Stroke.Name)]) -> [Bool] {
        var left = truth
        return strokes.map { stroke in
            guard let index = left.firstIndex(where: { abs(100 + $0.time - stroke.time) < 0.3 }) else { return false }
            return (left.remove(at: index).sign > 0) == (stroke.name == .forehand)
        }
    }
}
