import SignalProcessing
import StateCoding

/// A target whose input is the raw samples of a motion sensor, for the filter and for the comparison of the axes.
///
/// The first byte says whether there is a magnetometer. Each step begins with a byte: bits 0 and 1 its kind (numbers of any size, numbers of
/// a chip, a turn of what only gravity pulls at, storing), bit 2 whether it has a magnetic field, the others for how long it lasts.
enum FusionTarget {
    /// The most samples of an input, and as how many it counts to store them.
    private static let mostSamples = 2048
    private static let storing = 64
    /// G and rad/s of the smallest step of a chip's numbers: 16 G, and 2000 degrees/s.
    private static let accelerationStep = 1.0 / 2048
    private static let rateStep = 0.00106
    /// Microtesla of the smallest step of a magnetometer.
    private static let fieldStep = 0.15

    private struct Sample {
        var acceleration: SIMD3<Double>
        var rate: SIMD3<Double>
        var field: SIMD3<Double>?
        var interval: Double
    }

    /// Runs the target.
    static func run(_ input: [UInt8]) {
        var input = FuzzInput(input)
        var subject = Subject(magnetometer: input.byte() & 1 == 1)
        while !input.isEmpty && subject.count < mostSamples {
            let step = input.byte()
            let hasField = step & 4 != 0
            switch step & 3 {
            case 0:
                subject.add(
                    Sample(
                        acceleration: input.numbers(), rate: input.numbers(), field: hasField ? input.numbers() : nil,
                        interval: input.number()))
            case 1:
                let sample = Sample(
                    acceleration: input.steps(of: accelerationStep), rate: input.steps(of: rateStep),
                    field: hasField ? input.steps(of: fieldStep) : nil, interval: Double(input.byte()) / 1000)
                for _ in 0..<(1 + 4 * Int(step >> 3)) { subject.add(sample) }
            case 2:
                let (rate, field) = (input.steps(of: rateStep), hasField ? input.steps(of: fieldStep) : nil)
                let interval = Double(input.byte()) / 1000
                for _ in 0..<(1 + 4 * Int(step >> 3)) { subject.turn(at: rate, field: field, interval: interval) }
            default: subject.store()
            }
        }
        subject.store()
    }

    /// A filter, the axes of its samples, and what turns.
    private struct Subject {
        private var filter: OrientationFilter
        private var axes = AxisAgreement()
        private var turned = Quaternion.identity
        private(set) var count = 0

        init(magnetometer: Bool) { filter = OrientationFilter(magnetometer: magnetometer) }

        mutating func add(_ sample: Sample) {
            count += 1
            let (starts, verdict) = (filter.starts, axes.verdict)
            let motion = filter.add(
                acceleration: sample.acceleration, rotationRate: sample.rate, magneticField: sample.field,
                interval: sample.interval)
            axes.add(
                acceleration: sample.acceleration, rotationRate: sample.rate - filter.restingRate, interval: sample.interval)
            // A comparison with NaN is false.
            require(abs(Quaternion.norm(motion.attitude) - 1) < 1e-6, "the attitude is \(motion.attitude) after \(sample)")
            require(abs(length(motion.gravity) - 1) < 1e-5, "gravity is \(motion.gravity) after \(sample)")
            require(length(motion.userAcceleration) < 2000, "acceleration \(motion.userAcceleration) after \(sample)")
            require(length(filter.bias) < 0.07, "the bias is \(filter.bias) after \(sample)")
            require(filter.starts - starts <= 2 && filter.starts >= starts, "\(filter.starts) starts after \(sample)")
            // Axes are compared until they agree, as a producer may be corrected: no other verdict is final.
            require(verdict != .agrees || axes.verdict == .agrees, "\(verdict) becomes \(axes.verdict) after \(sample)")
            require(verdict == .undecided || axes.verdict != .undecided, "\(verdict) is forgotten after \(sample)")
        }

        /// Adds a sample at which gravity is where the rotation rate brings it.
        mutating func turn(at rate: SIMD3<Double>, field: SIMD3<Double>?, interval: Double) {
            turned = Attitude.predicted(from: turned, rotationRate: rate, seconds: interval)
            turned = Quaternion.normalized(turned, ifNormIn: 0.5...2) ?? Quaternion.identity
            add(Sample(acceleration: Attitude.gravity(in: turned), rate: rate, field: field, interval: interval))
        }

        /// Stores filter and axes, and goes on with what was stored.
        mutating func store() {
            count += FusionTarget.storing
            do {
                let filter = try StateCoder.decode(OrientationFilter.self, from: StateCoder.encode(filter))
                let axes = try StateCoder.decode(AxisAgreement.self, from: StateCoder.encode(axes))
                require(filter == self.filter, "\(self.filter) is stored as \(filter)")
                require(axes == self.axes, "\(self.axes) is stored as \(axes)")
                (self.filter, self.axes) = (filter, axes)
            } catch {
                fatalError("\(error)")
            }
        }

        private func length(_ vector: SIMD3<Double>) -> Double { (vector * vector).sum().squareRoot() }
    }
}

extension FuzzInput {
    /// Any number.
    fileprivate mutating func number() -> Double {
        Double(bitPattern: (0..<8).reduce(0) { bits, _ in bits << 8 | UInt64(byte()) })
    }

    fileprivate mutating func numbers() -> SIMD3<Double> { SIMD3(number(), number(), number()) }

    /// Numbers of 16 bits, as chips send them.
    fileprivate mutating func steps(of size: Double) -> SIMD3<Double> {
        func next() -> Double { Double(Int16(bitPattern: UInt16(byte()) << 8 | UInt16(byte()))) }
        return SIMD3(next(), next(), next()) * size
    }
}
