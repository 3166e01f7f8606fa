internal import Foundation
import SignalProcessing
package import TelemetryModel

/// The fusion of one stream's raw motion in one boot: to device motion, and to what the sensors show of their axes.
package struct MotionFusion: Sendable, Equatable, Codable {
    /// Whether x of the reference frame points to magnetic north.
    package let usesMagnetometer: Bool
    private var filter: OrientationFilter
    private var axes = AxisAgreement()
    /// The device time of the last sample in s.
    private var last: Double?
    /// Whether the sensor has turned evenly, faster than any bias that is estimated.
    private var hasTurnedEvenly = false
    /// How many samples were at a limit when the findings were last discarded; nil before.
    private var limitedBefore: Int?

    /// The sum of lengths of accelerations in G times s, and the time in s, until the mean is right.
    private var lengthSum = 0.0
    private var lengthSeconds = 0.0
    /// The mean length in G where it cannot be right.
    private var wrongLength: Double?
    private var isLengthRight = false

    /// For how long the length of the acceleration is averaged, in s.
    private static let lengthTime = 10.0
    /// What it can be in G: the mean of motion to and fro is a little more than 1.
    private static let lengths = 0.5...3

    /// No sample yet.
    package init(usesMagnetometer: Bool) {
        self.usesMagnetometer = usesMagnetometer
        filter = OrientationFilter(magnetometer: usesMagnetometer)
    }

    /// How often the filter started anew because it disagreed with the acceleration at rest.
    package var disagreements: Int { filter.disagreements }
    /// How many samples held a number that no sensor measures.
    package var unusable: Int { filter.unusable }
    /// How many samples were at the limit of a sensor's range.
    package var limited: Int { filter.limited }

    /// What the sensors have shown; nil while there is nothing to be said.
    package var finding: SensorFinding? {
        let finding = SensorFinding(
            axes: axes.verdict.finding, reachesLimit: filter.limited > limitedBefore ?? 0, turnsEvenly: hasTurnedEvenly,
            meanAcceleration: wrongLength)
        return finding == SensorFinding() ? nil : finding
    }

    /// The device motion of `samples`, of which `raw` was measured. Their times may be of another run than those before.
    package mutating func fuse(_ samples: MotionSamples, _ raw: RawMotion) -> MotionSamples {
        var fused = samples
        var restarts: [Int] = []
        var heading: [Double] = []
        fused.attitude.reserveCapacity(samples.count)
        fused.gravity.reserveCapacity(samples.count)
        fused.userAcceleration.reserveCapacity(samples.count)
        for index in 0..<samples.count {
            let interval = interval(to: samples.timestamp[index])
            let (acceleration, rate) = (raw.acceleration[index], samples.rotationRate[index])
            let (starts, verdict) = (filter.starts, axes.verdict)
            let motion = filter.add(
                acceleration: acceleration, rotationRate: rate, magneticField: usesMagnetometer ? raw.magneticField?[index] : nil,
                interval: interval)
            axes.add(acceleration: acceleration, rotationRate: rate - filter.restingRate, interval: interval)
            if axes.verdict != verdict, verdict != .undecided { forgetFindings() }
            if filter.starts != starts { restarts.append(index) }
            if filter.turnsEvenly { hasTurnedEvenly = true }
            fused.attitude.append(motion.attitude)
            fused.gravity.append(motion.gravity)
            fused.userAcceleration.append(motion.userAcceleration)
            fused.rotationRate[index] = motion.rotationRate
            if motion.isUsable { measureLength(of: acceleration, interval: interval) }
            if usesMagnetometer { heading.append(filter.isHeadingSettled ? Self.heading(of: motion.attitude) : -1) }
        }
        fused.referenceFrame = usesMagnetometer ? .xMagneticNorthZVertical : .xArbitraryZVertical
        if usesMagnetometer { fused.heading = heading }
        fused.source = .fused(
            FusedMotion(
                restarts: restarts, gyroscopeBias: filter.bias, isAtRest: filter.isAtRest,
                isHeadingSettled: filter.isHeadingSettled))
        return fused
    }

    private mutating func measureLength(of acceleration: SIMD3<Double>, interval: Double) {
        guard !isLengthRight, interval <= OrientationFilter.gapSeconds else { return }
        lengthSum += (acceleration * acceleration).sum().squareRoot() * interval
        lengthSeconds += interval
        guard lengthSeconds >= Self.lengthTime else { return }
        let mean = lengthSum / lengthSeconds
        isLengthRight = Self.lengths.contains(mean)
        if isLengthRight, wrongLength != nil { forgetFindings() }
        // One that stays wrong stays as it was found first.
        wrongLength = isLengthRight ? nil : wrongLength ?? (mean * 1000).rounded() / 1000
        (lengthSum, lengthSeconds) = (0, 0)
    }

    /// Discards what was found in numbers with other units or axes: the producer was corrected.
    private mutating func forgetFindings() {
        hasTurnedEvenly = false
        limitedBefore = filter.limited
        filter.forgetLimits()
    }

    /// Seconds since the sample before; of a time that is not later a gap, as another run of the clock began.
    private mutating func interval(to time: Double) -> Double {
        defer { last = time }
        guard let last else { return 0 }
        return time > last ? time - last : 2 * OrientationFilter.gapSeconds
    }

    /// Degrees clockwise from north to the device's y axis, where x of the reference frame points north: 0 up to 360.
    private static func heading(of attitude: SIMD4<Double>) -> Double {
        let (x, y, z, w) = (attitude.x, attitude.y, attitude.z, attitude.w)
        let (north, west) = (2 * (x * y - z * w), 1 - 2 * (x * x + z * z))
        let degrees = atan2(-west, north) * 180 / .pi
        let turned = degrees < 0 ? degrees + 360 : degrees
        return turned < 360 ? turned : 0
    }
}

extension AxisAgreement.Verdict {
    fileprivate var finding: SensorFinding.Axes? {
        switch self {
        case .undecided: nil
        case .agrees: .agree
        case .rotationRate(let assignment): .rotationRate(axes: (0..<3).map { assignment.axes[$0] }, signs: assignment.signs)
        case .leftHanded: .leftHanded
        case .rotationUnit(let factor): .rotationUnit(isTooLarge: factor < 1)
        }
    }
}
