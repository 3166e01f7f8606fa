/// Attitude, gravity and user acceleration from raw acceleration and rotation rate: the filter VQF.
///
/// D. Laidig, T. Seel: "VQF: Highly accurate IMU orientation estimation with bias estimation and magnetic disturbance rejection",
/// Information Fusion 91 (2023), with its default parameters. The rotation rate is integrated, which gives an almost inertial frame. In
/// it the acceleration is filtered strongly, as what moves the sensor to and fro cancels there, and gives the inclination. Each
/// sample counts with its own interval.
package struct OrientationFilter: Sendable, Equatable, Codable {
    /// The longest interval in s over which the rotation rate is integrated.
    package static let gapSeconds = 0.25
    /// The shortest interval in s that counts as time.
    private static let leastInterval = 1e-6
    /// The largest numbers that can be a measurement: G, rad/s, microtesla.
    private static let largestAcceleration = 1000.0
    private static let largestRate = 1000.0
    private static let largestField = 1e6
    /// Time constant of the inclination's filter in s.
    private static let inclinationTimeConstant = 3.0
    /// How far gravity may be from the acceleration at rest: the cosine of 10 degrees. In 3 s of rest the filter comes to it by itself, from
    /// the errors that motion makes of a few degrees.
    private static let agreement = 0.984807753012208
    /// For how long it may be further, in s.
    private static let disagreementSeconds = 1.0

    private var integrated = Quaternion.identity
    private var inclination = Quaternion.identity
    private var start = LowPassStart()
    private var forceFilter = SettledLowPass()
    private var rest = RestDetector()
    private var gyroscope = GyroscopeBias()
    private var heading: MagneticHeading?
    private var skipped = 0.0
    private var disagreement = 0.0

    /// How often the heading became unknown: with the first sample, after each gap, and when the filter started anew.
    package private(set) var starts = 0
    /// How often the filter started anew because it disagreed with the acceleration at rest.
    package private(set) var disagreements = 0
    /// How many samples held a number that no sensor measures. They leave the attitude as it was.
    package private(set) var unusable = 0

    /// How many samples were at the limit of a sensor's range.
    package private(set) var limited = 0
    private var accelerationLimit = SensorLimit(least: SensorLimit.leastAcceleration)
    private var rateLimit = SensorLimit(least: SensorLimit.leastRate)

    /// A filter with or without magnetometer: x of its frame points to magnetic north, or anywhere.
    package init(magnetometer: Bool = false) {
        heading = magnetometer ? MagneticHeading() : nil
    }

    /// What the filter knows after a sample.
    package struct Motion: Sendable, Equatable {
        /// Device to reference frame as in `Attitude`, z upwards: a unit quaternion x, y, z, w.
        package var attitude: SIMD4<Double>
        /// In device axes, unit length, in G.
        package var gravity: SIMD3<Double>
        /// The acceleration without gravity, in device axes, in G; zero where no sensor measures such a number.
        package var userAcceleration: SIMD3<Double>
        /// The rotation rate without the bias, in device axes, in rad/s; zero where no sensor measures such a sample: derivations add it up.
        package var rotationRate: SIMD3<Double>
        /// Whether sensors can measure the sample.
        package var isUsable: Bool
    }

    /// The estimated bias of the rotation rate in rad/s, which the device motion of the wire is free of.
    package var bias: SIMD3<Double> { gyroscope.value }

    /// The rotation rate when the sensor last lay still, 0 before. Unlike `bias`, it does not depend on the axes being right.
    package var restingRate: SIMD3<Double> { rest.restingRate }

    /// Whether the sensor lies still.
    package var isAtRest: Bool { rest.isAtRest }

    /// Whether the sensor is calm, but turns evenly and faster than 2 degrees/s, the greatest bias that is estimated: its gyroscope is not
    /// calibrated, or it lies on something that turns.
    package var turnsEvenly: Bool { rest.turnsEvenly }

    /// Whether the heading may be used: the bias is known to 0.1 degrees/s, or north is found.
    package var isHeadingSettled: Bool { heading.map(\.isSettled) ?? gyroscope.isSettled }

    /// Whether the magnetic field is one that the heading does not follow; false without magnetometer.
    package var isFieldDisturbed: Bool { heading?.isDisturbed ?? false }

    /// Device to reference frame after the last sample.
    package var attitude: SIMD4<Double> {
        let level = Quaternion.product(inclination, integrated)
        guard let heading else { return level.renormalized }
        return Quaternion.product(Quaternion.rotation(by: SIMD3(0, 0, heading.angle)), level).renormalized
    }

    /// Forgets the limits of the sensors' ranges, as far as samples have shown them.
    package mutating func forgetLimits() {
        accelerationLimit.forget()
        rateLimit.forget()
    }

    /// Adds a sample.
    ///
    /// - Parameters:
    ///   - acceleration: In G with Core Motion's sign: z is -1 at rest face up.
    ///   - rotationRate: In rad/s, bias included.
    ///   - magneticField: In microtesla, where this sample has one.
    ///   - interval: Seconds since the sample before. The first sample's does not matter.
    package mutating func add(
        acceleration: SIMD3<Double>, rotationRate: SIMD3<Double>, magneticField: SIMD3<Double>? = nil, interval: Double
    ) -> Motion {
        let isUsable = Self.isUsable(acceleration, rotationRate) && magneticField?.isWithin(Self.largestField) ?? true
        if !isUsable {
            unusable += 1
        } else {
            let isLimited = accelerationLimit.reached(by: acceleration)
            if rateLimit.reached(by: rotationRate) || isLimited { limited += 1 }
        }
        let elapsed = interval >= 0 ? skipped + interval : skipped
        if isUsable && (starts == 0 || elapsed >= Self.leastInterval) {
            skipped = 0
            advance(acceleration, rotationRate, magneticField, elapsed)
        } else {
            skipped = min(elapsed, 2 * Self.gapSeconds)
        }
        let attitude = attitude
        let gravity = Attitude.gravity(in: attitude)
        return Motion(
            attitude: attitude, gravity: gravity,
            userAcceleration: acceleration.isWithin(Self.largestAcceleration) ? acceleration - gravity : .zero,
            rotationRate: isUsable ? rotationRate - bias : .zero, isUsable: isUsable)
    }

    /// Whether the numbers can be measurements in G and rad/s.
    static func isUsable(_ acceleration: SIMD3<Double>, _ rotationRate: SIMD3<Double>) -> Bool {
        acceleration.isWithin(largestAcceleration) && rotationRate.isWithin(largestRate)
    }

    private mutating func advance(
        _ acceleration: SIMD3<Double>, _ rotationRate: SIMD3<Double>, _ field: SIMD3<Double>?, _ elapsed: Double
    ) {
        let isFirst = starts == 0 || elapsed > Self.gapSeconds
        if isFirst { restart(after: elapsed) }
        let interval = isFirst ? Self.leastInterval : elapsed
        let step = advanceInclination(acceleration, rotationRate, interval: interval, isFirst: isFirst)
        rest.add(rate: rotationRate, acceleration: acceleration, interval: interval)
        let level = Quaternion.product(inclination, integrated)
        if !isFirst {
            gyroscope.add(
                attitude: level, correction: step.correction, restingRate: rest.isAtRest ? rest.rate : nil, step: step.filter,
                interval: interval)
        }
        heading?.add(field.map { level.turning($0) }, rate: rest.rate, interval: interval)
        check(acceleration, level, interval)
    }

    /// Begins with the next acceleration; the heading is unknown.
    private mutating func restart(after seconds: Double) {
        (integrated, inclination) = (Quaternion.identity, Quaternion.identity)
        (start, forceFilter) = (LowPassStart(), SettledLowPass())
        rest.restart()
        gyroscope.restart(after: starts == 0 ? 0 : seconds)
        heading?.restart()
        disagreement = 0
        starts += 1
    }

    private mutating func advanceInclination(
        _ acceleration: SIMD3<Double>, _ rotationRate: SIMD3<Double>, interval: Double, isFirst: Bool
    ) -> (filter: LowPassStep, correction: SIMD2<Double>) {
        let filter = start.step(interval: interval, timeConstant: Self.inclinationTimeConstant)
        if !isFirst {
            let turn = Quaternion.rotation(by: (rotationRate - gyroscope.value) * interval)
            integrated = Quaternion.product(integrated, turn).renormalized
        }
        let force = inclination.turning(forceFilter.step(integrated.turning(-acceleration), filter))
        let length = (force * force).sum().squareRoot()
        guard length > 1e-6 else { return (filter, .zero) }
        let up = force / length
        // The shortest turn of `up` to the vertical.
        let cosine = max((up.z + 1) / 2, 0).squareRoot()
        let turn = cosine > 1e-6 ? SIMD4(up.y / (2 * cosine), -up.x / (2 * cosine), 0, cosine) : SIMD4(1, 0, 0, 0)
        inclination = Quaternion.product(turn, inclination).renormalized
        return (filter, SIMD2(-up.y, up.x))
    }

    private mutating func check(_ acceleration: SIMD3<Double>, _ level: SIMD4<Double>, _ interval: Double) {
        let length = (acceleration * acceleration).sum().squareRoot()
        let agrees = (Attitude.gravity(in: level) * acceleration).sum() >= Self.agreement * length
        disagreement = rest.isAtRest && !agrees ? disagreement + interval : 0
        guard disagreement >= Self.disagreementSeconds else { return }
        disagreements += 1
        restart(after: 0)
        _ = advanceInclination(acceleration, .zero, interval: Self.leastInterval, isFirst: true)
    }
}

extension SIMD3<Double> {
    /// Whether no component is larger than `limit` or not a number.
    func isWithin(_ limit: Double) -> Bool { abs(x) <= limit && abs(y) <= limit && abs(z) <= limit }

    /// The right-handed cross product.
    func cross(_ other: Self) -> Self {
        SIMD3(y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
    }
}

extension SIMD4<Double> {
    /// This quaternion with unit length again, where rounding took it off by little.
    fileprivate var renormalized: Self { self * (1.5 - 0.5 * (self * self).sum()) }

    /// `vector` turned by this unit quaternion.
    fileprivate func turning(_ vector: SIMD3<Double>) -> SIMD3<Double> {
        let axis = SIMD3(x, y, z)
        let twice = 2 * axis.cross(vector)
        return vector + w * twice + axis.cross(twice)
    }
}
