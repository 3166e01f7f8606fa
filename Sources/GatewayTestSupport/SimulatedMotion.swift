import Foundation
import SignalProcessing

/// Raw samples of a sensor that turns and is moved, with the truth.
struct SimulatedMotion {
    struct Sample {
        /// Seconds since the sample before.
        var interval: Double
        var acceleration: SIMD3<Double>
        var rotationRate: SIMD3<Double>
        var magneticField: SIMD3<Double>
        var attitude: SIMD4<Double>
    }

    /// The sensor's bias in rad/s.
    var bias = SIMD3<Double>(0, 0, 0)
    /// How fast it turns about each of its axes at most, in rad/s.
    var rate = SIMD3(1.2, 0.9, 1.5)
    /// The acceleration of its movement to and fro, in G.
    var shake = 0.2
    /// Microtesla in the frame with x to magnetic north and z up: as in central Europe.
    var field = SIMD3(20.0, 0, -44)
    /// The distances of the samples in s, in turn.
    var intervals = [0.01]

    /// Samples for `seconds`, at rest where `isStill`.
    func samples(seconds: Double, from start: SIMD4<Double> = Quaternion.identity, isStill: Bool = false) -> [Sample] {
        var (samples, attitude, time) = ([Sample](), start, 0.0)
        while time < seconds {
            let interval = intervals[samples.count % intervals.count]
            let middle = time + interval / 2
            let turn =
                isStill
                ? SIMD3<Double>(0, 0, 0) : rate * SIMD3(sin(1.9 * middle), sin(1.3 * middle + 1), cos(0.7 * middle + 2))
            attitude = Attitude.predicted(from: attitude, rotationRate: turn, seconds: interval)
            time += interval
            let push = isStill ? SIMD3<Double>(0, 0, 0) : shake * SIMD3(sin(9 * time), cos(7 * time), sin(5 * time + 1))
            samples.append(
                Sample(
                    interval: interval, acceleration: Self.seen(SIMD3(0, 0, -1) - push, in: attitude),
                    rotationRate: turn + bias, magneticField: Self.seen(field, in: attitude), attitude: attitude))
        }
        return samples
    }

    /// A vector of the room in device axes.
    static func seen(_ vector: SIMD3<Double>, in attitude: SIMD4<Double>) -> SIMD3<Double> {
        let turned = Quaternion.product(
            Quaternion.product(Quaternion.conjugate(attitude), SIMD4(vector, 0)), attitude)
        return SIMD3(turned.x, turned.y, turned.z)
    }
}

extension OrientationFilter {
    mutating func add(_ sample: SimulatedMotion.Sample, magnetic: Bool = false) -> Motion {
        add(
            acceleration: sample.acceleration, rotationRate: sample.rotationRate,
            magneticField: magnetic ? sample.magneticField : nil, interval: sample.interval)
    }

    /// Adds all; returns what is known after the last one.
    @discardableResult
    mutating func add(_ samples: [SimulatedMotion.Sample], magnetic: Bool = false) -> Motion {
        for sample in samples.dropLast() { _ = add(sample, magnetic: magnetic) }
        return add(samples[samples.count - 1], magnetic: magnetic)
    }
}
