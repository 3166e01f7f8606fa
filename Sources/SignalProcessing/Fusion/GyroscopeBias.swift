/// The Kalman filter of a gyroscope's bias, in motion from the corrections of the inclination, at rest from the rate itself.
///
/// Section 3.3 of the paper that `OrientationFilter` names, with its default parameters; what they give in degrees/s is in rad/s here.
struct GyroscopeBias: Sendable, Equatable, Codable {
    private static let degree = Double.pi / 180
    /// The greatest bias, and the greatest error that one sample may show: 2 degrees/s.
    static let limit = 2 * degree
    /// Variance of the bias before there are samples: (0.5 degrees/s)^2.
    private static let startVariance = (0.5 * degree) * (0.5 * degree)
    /// How fast the variance grows: from 0 to (0.1 degrees/s)^2 in 100 s.
    private static let growth = (0.1 * degree) * (0.1 * degree) / 100
    /// The variance to which motion brings the estimate in the long run: (0.1 degrees/s)^2.
    private static let motionVariance = (0.1 * degree) * (0.1 * degree)
    /// The variance to which rest brings the estimate in the long run: (0.03 degrees/s)^2.
    private static let restVariance = (0.03 * degree) * (0.03 * degree)
    /// The weight in motion of the vertical component being 0, relative to the horizontal ones: what cannot be seen forgets slowly.
    private static let verticalWeight = 0.0001
    /// The variance at which a heading without magnetometer counts as settled: (0.1 degrees/s)^2, 6 degrees a minute.
    private static let settledVariance = (0.1 * degree) * (0.1 * degree)

    /// The bias in rad/s about the device's axes.
    private(set) var value = SIMD3<Double>.zero
    /// The columns of the covariance, symmetric.
    private var first = SIMD3(startVariance, 0, 0)
    private var second = SIMD3(0, startVariance, 0)
    private var third = SIMD3(0, 0, startVariance)
    private var rowX = SettledLowPass()
    private var rowY = SettledLowPass()
    private var rowZ = SettledLowPass()
    private var turned = SettledLowPass()

    /// Whether the bias about each axis is known well enough to keep a heading.
    var isSettled: Bool { max(first.x, second.y, third.z) <= Self.settledVariance }

    /// Forgets the motion before a gap of `seconds`, and keeps the bias.
    mutating func restart(after seconds: Double) {
        (rowX, rowY, rowZ, turned) = (SettledLowPass(), SettledLowPass(), SettledLowPass(), SettledLowPass())
        grow(seconds)
    }

    /// Adds a sample.
    ///
    /// - Parameters:
    ///   - attitude: Device to a frame with z upwards.
    ///   - correction: By how much the inclination was corrected, in rad about the frame's x and y axes.
    ///   - restingRate: The rate in rad/s at rest, else nil.
    ///   - step: The coefficients of the filter of the inclination, whose delay is that of the corrections.
    ///   - interval: Seconds since the sample before.
    mutating func add(
        attitude: SIMD4<Double>, correction: SIMD2<Double>, restingRate: SIMD3<Double>?, step: LowPassStep, interval: Double
    ) {
        let (x, y, z, w) = (attitude.x, attitude.y, attitude.z, attitude.w)
        let axisX = SIMD3(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y))
        let axisY = SIMD3(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x))
        let axisZ = SIMD3(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y))
        let slowX = rowX.step(axisX, step)
        let slowY = rowY.step(axisY, step)
        let slowZ = rowZ.step(axisZ, step)
        let slowBias = turned.step(SIMD3((axisX * value).sum(), (axisY * value).sum(), 0), step)
        grow(interval)
        var change = SIMD3<Double>.zero
        if let restingRate {
            let noise = Self.noise(Self.restVariance, interval)
            let error = restingRate - value
            update(&change, row: SIMD3(1, 0, 0), error: error.x, noise: noise)
            update(&change, row: SIMD3(0, 1, 0), error: error.y, noise: noise)
            update(&change, row: SIMD3(0, 0, 1), error: error.z, noise: noise)
        } else {
            let noise = Self.noise(Self.motionVariance, interval)
            let errorX = correction.x / interval + slowBias.x - (slowX * value).sum()
            let errorY = correction.y / interval + slowBias.y - (slowY * value).sum()
            update(&change, row: slowX, error: errorX, noise: noise)
            update(&change, row: slowY, error: errorY, noise: noise)
            update(&change, row: slowZ, error: -(slowZ * value).sum(), noise: noise / Self.verticalWeight)
        }
        value = (value + change).clamped(lowerBound: SIMD3(repeating: -Self.limit), upperBound: SIMD3(repeating: Self.limit))
    }

    /// The variance of one measurement with which the estimate's variance comes to `variance` in the long run.
    private static func noise(_ variance: Double, _ interval: Double) -> Double {
        variance * variance / (growth * interval) + variance
    }

    private mutating func grow(_ seconds: Double) {
        let more = Self.growth * seconds
        first.x = min(first.x + more, Self.startVariance)
        second.y = min(second.y + more, Self.startVariance)
        third.z = min(third.z + more, Self.startVariance)
    }

    /// One scalar measurement `row` x bias, off by `error` from the bias before the sample; those of a sample are independent.
    ///
    /// One after the other they give what all three at once would, without the inverse of a matrix.
    private mutating func update(_ change: inout SIMD3<Double>, row: SIMD3<Double>, error: Double, noise: Double) {
        let error = min(max(error, -Self.limit), Self.limit)
        let covariance = first * row.x + second * row.y + third * row.z
        let gain = covariance / ((row * covariance).sum() + noise)
        change += gain * (error - (row * change).sum())
        first -= gain * covariance.x
        second -= gain * covariance.y
        third -= gain * covariance.z
    }
}
