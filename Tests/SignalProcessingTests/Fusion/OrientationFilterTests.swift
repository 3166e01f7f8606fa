import Foundation
import GatewayTestSupport
import SignalProcessing
import Testing

@Suite("The filter of raw motion")
struct OrientationFilterTests {
    private func expectUnit(_ quaternion: SIMD4<Double>, _ comment: Comment? = nil) {
        #expect(abs(Quaternion.norm(quaternion) - 1) < 1e-6, comment)
    }

    /// The angle between true and filtered gravity in rad.
    private func tilt(_ motion: OrientationFilter.Motion, _ sample: SimulatedMotion.Sample) -> Double {
        asin(min(length(motion.gravity - Attitude.gravity(in: sample.attitude)) / 2, 1)) * 2
    }

    @Test("face up at rest, gravity is -1 along z, the rest is 0 and the attitude is level")
    func faceUp() {
        var filter = OrientationFilter()
        let motion = filter.add(SimulatedMotion().samples(seconds: 3, isStill: true))
        #expect(length(motion.gravity - SIMD3(0, 0, -1)) < 1e-9)
        #expect(length(motion.userAcceleration) < 1e-9)
        #expect(length(motion.attitude - Quaternion.identity) < 1e-9)
        #expect(filter.isAtRest && filter.isHeadingSettled && filter.starts == 1)
    }

    @Test("the first sample gives the inclination", arguments: [-80.0, -30, 10, 60, 179])
    func inclined(angle: Double) {
        for axis in [SIMD3(1.0, 0, 0), SIMD3(0, 1.0, 0)] {
            let attitude = Quaternion.rotation(by: axis * degrees(angle))
            var filter = OrientationFilter()
            let motion = filter.add(acceleration: Attitude.gravity(in: attitude), rotationRate: .zero, interval: 0)
            #expect(length(motion.gravity - Attitude.gravity(in: attitude)) < 1e-9)
            #expect(Attitude.angle(between: motion.attitude, and: attitude) < 1e-7)
        }
    }

    @Test("upside down, there is an attitude")
    func upsideDown() {
        var filter = OrientationFilter()
        let motion = filter.add(acceleration: SIMD3(0, 0, 1), rotationRate: .zero, interval: 0.01)
        #expect(length(motion.gravity - SIMD3(0, 0, 1)) < 1e-9)
        expectUnit(motion.attitude)
    }

    @Test("a turn about z of the device that lies is a yaw of the same sign")
    func yaw() {
        var filter = OrientationFilter()
        var motion = filter.add(acceleration: SIMD3(0, 0, -1), rotationRate: .zero, interval: 0)
        for _ in 0..<100 {
            motion = filter.add(acceleration: SIMD3(0, 0, -1), rotationRate: SIMD3(0, 0, 0.5), interval: 0.01)
        }
        #expect(abs(Attitude.angles(of: motion.attitude).yaw - 0.5) < degrees(0.1))
    }

    @Test(
        "in motion the inclination is right to half a degree, and the user's acceleration to 0.015 G, whatever the intervals",
        arguments: [[0.01], [0.004], [0.02, 0.021, 0.018, 0.04], [0.001, 0.03]])
    func motion(intervals: [Double]) {
        var filter = OrientationFilter()
        let samples = SimulatedMotion(intervals: intervals).samples(seconds: 60)
        var (square, count, worst) = (0.0, 0.0, 0.0)
        for (index, sample) in samples.enumerated() {
            let motion = filter.add(sample)
            expectUnit(motion.attitude)
            guard index > samples.count / 4 else { continue }
            let error = tilt(motion, sample)
            square += error * error
            count += 1
            let truth = sample.acceleration - Attitude.gravity(in: sample.attitude)
            worst = max(worst, length(motion.userAcceleration - truth))
        }
        #expect((square / count).squareRoot() < degrees(0.5))
        #expect(worst < 0.015)
        #expect(!filter.isAtRest && filter.starts == 1 && filter.disagreements == 0 && filter.unusable == 0)
    }

    @Test("at rest the bias is found in seconds, in motion in minutes")
    func bias() {
        let bias = SIMD3(degrees(0.8), degrees(-0.5), degrees(0.3))
        var still = OrientationFilter()
        still.add(SimulatedMotion(bias: bias).samples(seconds: 6, isStill: true))
        #expect(length(still.bias - bias) < degrees(0.05))
        #expect(length(still.restingRate - bias) < degrees(0.001))
        var moving = OrientationFilter()
        moving.add(SimulatedMotion(bias: bias).samples(seconds: 180))
        #expect(length(moving.bias - bias) < degrees(0.2))
        #expect(moving.restingRate == .zero)
        let after = moving
        moving.add(SimulatedMotion(bias: bias).samples(seconds: 60, isStill: true))
        #expect(length(moving.bias - bias) < length(after.bias - bias))
    }

    @Test("a bias that is too large to be estimated does not count as rest")
    func largeBias() {
        var filter = OrientationFilter()
        let motion = filter.add(SimulatedMotion(bias: SIMD3(degrees(5), 0, 0)).samples(seconds: 30, isStill: true))
        #expect(filter.turnsEvenly && !filter.isAtRest && filter.restingRate == .zero)
        #expect(length(filter.bias) <= degrees(2) * 3.0.squareRoot() && length(motion.gravity - SIMD3(0, 0, -1)) < 0.3)
        filter.add(SimulatedMotion(bias: SIMD3(degrees(1), 0, 0)).samples(seconds: 30, isStill: true))
        #expect(filter.isAtRest && !filter.turnsEvenly)
    }

    @Test("after 0.25 s the heading is unknown and the inclination is that of the acceleration; the bias stays")
    func gap() {
        var filter = OrientationFilter()
        let samples = SimulatedMotion(bias: SIMD3(0.005, 0, 0)).samples(seconds: 5, isStill: true)
        filter.add(samples)
        let bias = filter.bias
        _ = filter.add(acceleration: SIMD3(0, 0, -1), rotationRate: .zero, interval: 0.25)
        #expect(filter.starts == 1)
        let attitude = Quaternion.rotation(by: SIMD3(1, 0, 0))
        let motion = filter.add(acceleration: Attitude.gravity(in: attitude), rotationRate: .zero, interval: 0.26)
        #expect(filter.starts == 2 && !filter.isAtRest)
        #expect(length(motion.gravity - Attitude.gravity(in: attitude)) < 1e-9)
        #expect(length(filter.bias - bias) < degrees(0.05))
        _ = filter.add(acceleration: SIMD3(0, 0, -1), rotationRate: .zero, interval: .infinity)
        #expect(filter.starts == 3)
    }

    @Test("a filter that disagrees with the acceleration at rest starts anew, once")
    func disagreement() {
        var filter = OrientationFilter()
        filter.add(SimulatedMotion().samples(seconds: 10, isStill: true))
        // The gyroscope missed a turn by 120 degrees.
        let turned = Quaternion.rotation(by: SIMD3(degrees(120), 0, 0))
        let motion = filter.add(SimulatedMotion().samples(seconds: 5, from: turned, isStill: true))
        #expect(filter.disagreements == 1 && filter.starts == 2)
        #expect(length(motion.gravity - Attitude.gravity(in: turned)) < 1e-3)
    }

    @Test("x points to magnetic north with a magnetometer, and a disturbed field does not turn it")
    func north() {
        let motion = SimulatedMotion()
        var filter = OrientationFilter(magnetometer: true)
        let samples = motion.samples(seconds: 60, from: Quaternion.rotation(by: SIMD3(0, 0, 2)))
        filter.add(samples, magnetic: true)
        let last = samples[samples.count - 1]
        #expect(filter.isHeadingSettled && !filter.isFieldDisturbed)
        #expect(Attitude.angle(between: filter.attitude, and: last.attitude) < degrees(1))
        // Iron beside the sensor for 10 s.
        let disturbed = SimulatedMotion(field: SIMD3(-30, 40, 10)).samples(seconds: 10, from: last.attitude)
        filter.add(disturbed, magnetic: true)
        #expect(filter.isFieldDisturbed && !filter.isHeadingSettled)
        #expect(Attitude.angle(between: filter.attitude, and: disturbed[disturbed.count - 1].attitude) < degrees(2))
        // Another field that stays is the new north.
        let moved = SimulatedMotion(field: SIMD3(0, 25, -40)).samples(seconds: 120, from: disturbed[disturbed.count - 1].attitude)
        filter.add(moved, magnetic: true)
        let expected = Quaternion.product(Quaternion.rotation(by: SIMD3(0, 0, -.pi / 2)), moved[moved.count - 1].attitude)
        #expect(filter.isHeadingSettled)
        #expect(Attitude.angle(between: filter.attitude, and: expected) < degrees(1))
    }

    @Test("a slower magnetometer leads to the same north")
    func slowMagnetometer() {
        var filter = OrientationFilter(magnetometer: true)
        let samples = SimulatedMotion().samples(seconds: 60, from: Quaternion.rotation(by: SIMD3(0, 0, -1)))
        for (index, sample) in samples.enumerated() { _ = filter.add(sample, magnetic: index % 10 == 0) }
        #expect(filter.isHeadingSettled)
        #expect(Attitude.angle(between: filter.attitude, and: samples[samples.count - 1].attitude) < degrees(1))
    }

    @Test("no number makes the filter diverge", arguments: [false, true])
    func hostile(magnetometer: Bool) {
        let numbers = [
            0, -0.0, 1, -1, 1e-3, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, 1e-300, 1e-160, 999, -999, 1001, 1e6, 1e154,
            1e200, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .infinity, -.infinity, .nan,
        ]
        let intervals = [
            0.01, 0.01, 0, -1, 1e-7, 1e-6, 1e-5, 0.1, 0.25, 0.3, 1e9, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity,
            .nan,
        ]
        var (filter, axes) = (OrientationFilter(magnetometer: magnetometer), AxisAgreement())
        var random = SeededGenerator(seed: 1)
        for round in 0..<20_000 {
            func vector() -> SIMD3<Double> {
                // Half of them usable, so that the filter comes to every place.
                let choice = round % 2 == 0 ? numbers[0..<11] : numbers[...]
                return SIMD3(
                    choice.randomElement(using: &random) ?? 0, choice.randomElement(using: &random) ?? 0,
                    choice.randomElement(using: &random) ?? 0)
            }
            let (acceleration, rate, field) = (vector(), vector(), vector())
            let interval = intervals.randomElement(using: &random) ?? 0
            let before = filter
            let motion = filter.add(
                acceleration: acceleration, rotationRate: rate, magneticField: magnetometer ? field : nil, interval: interval)
            axes.add(acceleration: acceleration, rotationRate: rate, interval: interval)
            let isSound =
                abs(Quaternion.norm(motion.attitude) - 1) < 1e-6 && abs(length(motion.gravity) - 1) < 1e-5
                && length(motion.userAcceleration) < 2000 && length(filter.bias) <= degrees(4)
            #expect(isSound, "\(acceleration) \(rate) \(field) \(interval) after \(before)")
            if !isSound { return }
        }
        #expect(filter.unusable > 0)
        let calm = SimulatedMotion().samples(seconds: 20, isStill: true)
        let motion = filter.add(calm, magnetic: magnetometer)
        #expect(length(motion.gravity - SIMD3(0, 0, -1)) < 1e-3)
        #expect(filter.isAtRest)
    }

    @Test("a number that no sensor measures leaves the attitude as it was, and its time counts")
    func unusable() {
        var filter = OrientationFilter()
        let samples = SimulatedMotion(shake: 0).samples(seconds: 10)
        filter.add(samples)
        let before = filter.attitude
        let motion = filter.add(acceleration: SIMD3(.nan, 0, 0), rotationRate: SIMD3(1e9, 0, 0), interval: 0.1)
        #expect(motion.attitude == before && motion.userAcceleration == .zero && filter.unusable == 1)
        _ = filter.add(acceleration: motion.gravity, rotationRate: SIMD3(1, 0, 0) + filter.bias, interval: 0.1)
        #expect(abs(Attitude.angle(between: before, and: filter.attitude) - 0.2) < degrees(1))
        #expect(filter.starts == 1)
    }

    @Test("samples at a sensor's limit are counted from the third in a row")
    func limits() {
        var (free, clipped) = (OrientationFilter(), OrientationFilter())
        let limit = SIMD3(repeating: 2.5)
        var expected = 0
        for sample in SimulatedMotion(rate: SIMD3(5, 1, 1)).samples(seconds: 20) {
            _ = free.add(sample)
            var sample = sample
            let rate = sample.rotationRate
            sample.rotationRate = rate.clamped(lowerBound: -limit, upperBound: limit)
            if rate != sample.rotationRate { expected += 1 }
            _ = clipped.add(sample)
        }
        #expect(free.limited == 0)
        // The first two of each of the 12 runs are not known to be at the limit.
        #expect(expected > 800 && clipped.limited <= expected && clipped.limited >= expected - 30)
        // What repeats at rest is no limit.
        var still = OrientationFilter()
        still.add(SimulatedMotion().samples(seconds: 5, isStill: true))
        #expect(still.limited == 0)
    }

    @Test("a stored filter goes on as if it had not been stored", arguments: [false, true])
    func stored(magnetometer: Bool) throws {
        var (filter, axes) = (OrientationFilter(magnetometer: magnetometer), AxisAgreement())
        let samples = SimulatedMotion().samples(seconds: 20)
        for sample in samples.prefix(1000) {
            _ = filter.add(sample, magnetic: magnetometer)
            axes.add(acceleration: sample.acceleration, rotationRate: sample.rotationRate, interval: sample.interval)
        }
        var restored = try JSONDecoder().decode(OrientationFilter.self, from: JSONEncoder().encode(filter))
        #expect(try JSONDecoder().decode(AxisAgreement.self, from: JSONEncoder().encode(axes)) == axes)
        #expect(restored == filter)
        for sample in samples.dropFirst(1000) {
            #expect(restored.add(sample, magnetic: magnetometer) == filter.add(sample, magnetic: magnetometer))
        }
        #expect(restored == filter)
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
