import Foundation
import SignalProcessing
package import TelemetryModel

/// Raw samples of a sensor that turns and is moved, with the truth.
package struct SimulatedMotion {
    package struct Sample {
        /// Seconds since the sample before.
        package var interval: Double
        /// In G with Core Motion's sign.
        package var acceleration: SIMD3<Double>
        /// In rad/s, bias included.
        package var rotationRate: SIMD3<Double>
        /// In microtesla.
        package var magneticField: SIMD3<Double>
        /// The truth.
        package var attitude: SIMD4<Double>

        /// A sample.
        package init(
            interval: Double, acceleration: SIMD3<Double>, rotationRate: SIMD3<Double>, magneticField: SIMD3<Double>,
            attitude: SIMD4<Double>
        ) {
            (self.interval, self.acceleration, self.rotationRate) = (interval, acceleration, rotationRate)
            (self.magneticField, self.attitude) = (magneticField, attitude)
        }
    }

    /// The sensor's bias in rad/s.
    package var bias: SIMD3<Double>
    /// How fast it turns about each of its axes at most, in rad/s.
    package var rate: SIMD3<Double>
    /// The acceleration of its movement to and fro, in G.
    package var shake: Double
    /// Microtesla in the frame with x to magnetic north and z up: as in central Europe.
    package var field: SIMD3<Double>
    /// The distances of the samples in s, in turn.
    package var intervals: [Double]

    /// A sensor that turns about all axes, and moves.
    package init(
        bias: SIMD3<Double> = SIMD3(0, 0, 0), rate: SIMD3<Double> = SIMD3(1.2, 0.9, 1.5), shake: Double = 0.2,
        field: SIMD3<Double> = SIMD3(20, 0, -44), intervals: [Double] = [0.01]
    ) {
        (self.bias, self.rate, self.shake, self.field, self.intervals) = (bias, rate, shake, field, intervals)
    }

    /// Samples for `seconds`, at rest where `isStill`.
    package func samples(seconds: Double, from start: SIMD4<Double> = Quaternion.identity, isStill: Bool = false) -> [Sample] {
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
    package static func seen(_ vector: SIMD3<Double>, in attitude: SIMD4<Double>) -> SIMD3<Double> {
        let turned = Quaternion.product(
            Quaternion.product(Quaternion.conjugate(attitude), SIMD4(vector, 0)), attitude)
        return SIMD3(turned.x, turned.y, turned.z)
    }
}

extension MotionSamples {
    /// Raw samples from `start` on, the first one interval later, with or without the magnetic field.
    package init(raw samples: [SimulatedMotion.Sample], from start: Double, magnetic: Bool = false) {
        var time = start
        func vectors(_ value: (SimulatedMotion.Sample) -> SIMD3<Double>) -> VectorColumns {
            VectorColumns(x: samples.map { value($0).x }, y: samples.map { value($0).y }, z: samples.map { value($0).z })
        }
        self.init(
            timestamp: samples.map { sample in
                time += sample.interval
                return time
            },
            rotationRate: vectors(\.rotationRate),
            source: .sensors(
                RawMotion(
                    acceleration: vectors(\.acceleration), magneticField: magnetic ? vectors(\.magneticField) : nil)))
    }
}
