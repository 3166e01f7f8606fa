import Foundation
import GatewayPipeline
import SignalProcessing
import TelemetryModel

/// A head's motion, written segment by segment as headphones would send it.
struct MotionStream {
    /// What was written so far.
    private(set) var samples = MotionSamples(sensorLocation: [])
    private var attitude = Quaternion.identity
    private var clock: Double
    private let interval: Double

    /// A stream whose first sample is stamped `start`.
    init(start: Double = 10, interval: Double = 0.04) {
        clock = start
        self.interval = interval
    }

    /// Writes `count` samples of a head that turns at `rate`, showing `bogus` instead of its attitude if given.
    mutating func turn(
        _ count: Int, rate: SIMD3<Double> = .zero, acceleration: Double = 0.01,
        from location: SensorLocation = .headphoneLeft, showing bogus: SIMD4<Double>? = nil
    ) {
        for _ in 0..<count {
            samples.append(
                clock, attitude: bogus ?? attitude, rate: rate, acceleration: acceleration, location: location)
            attitude = Attitude.predicted(from: attitude, rotationRate: rate, seconds: interval)
            advance(interval)
        }
    }

    /// Writes nothing for `seconds`, in which the head goes to `attitude` if given.
    mutating func skip(_ seconds: Double, to attitude: SIMD4<Double>? = nil) {
        advance(seconds)
        self.attitude = attitude ?? self.attitude
    }

    /// Keeps to whole microseconds, so that tests can name the times.
    private mutating func advance(_ seconds: Double) { clock = ((clock + seconds) * 1e6).rounded() / 1e6 }
}

extension MotionSamples {
    /// Appends one sample, gravity included.
    mutating func append(
        _ time: Double, attitude: SIMD4<Double>, rate: SIMD3<Double> = .zero, acceleration: Double = 0.01,
        location: SensorLocation = .headphoneLeft
    ) {
        timestamp.append(time)
        self.attitude.append(attitude)
        rotationRate.append(rate)
        userAcceleration.append(SIMD3(0, acceleration, 0))
        gravity.append(Attitude.gravity(in: attitude))
        sensorLocation.append(location)
    }

    /// Samples of a still head at `times`.
    static func still(at times: [Double], location: SensorLocation = .headphoneLeft) -> Self {
        var samples = Self(sensorLocation: [])
        for time in times { samples.append(time, attitude: Quaternion.identity, location: location) }
        return samples
    }

    /// Samples of a still head from `first` to `last`, both included, a hundred a second.
    static func still(from first: Double, to last: Double, location: SensorLocation = .headphoneLeft) -> Self {
        let steps = Int(((last - first) * 100).rounded())
        return still(at: (0...steps).map { first + Double($0) / 100 }, location: location)
    }

    /// The same samples in frames of 1 to `longest`.
    func frames(longest: Int, using generator: inout some RandomNumberGenerator) -> [Self] {
        var frames: [Self] = []
        var start = 0
        while start < count {
            let end = Swift.min(count, start + Int.random(in: 1...longest, using: &generator))
            frames.append(slice(start..<end))
            start = end
        }
        return frames
    }
}
