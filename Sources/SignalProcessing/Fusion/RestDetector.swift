/// Finds when a sensor lies still: rotation and acceleration stay near their low-passed values for long enough.
///
/// Section 3.4 of the paper that `OrientationFilter` names, with its default parameters.
struct RestDetector: Sendable, Equatable, Codable {
    /// Time constant of the low-pass filters in s.
    private static let timeConstant = 0.5
    /// How long it must be calm, in s.
    private static let calmSeconds = 1.5
    /// How far the rotation rate may be from its filtered value: 2 degrees/s, in rad/s.
    private static let rateLimit = 2 * Double.pi / 180
    /// How far the acceleration may be from its filtered value: 0.5 m/s2, in G.
    private static let accelerationLimit = 0.5 / MotionConvention.standardGravity

    private var start = LowPassStart()
    private var rateFilter = SettledLowPass()
    private var accelerationFilter = SettledLowPass()
    private var calm = 0.0
    private var turning = 0.0

    /// The filtered rotation rate in rad/s, bias included.
    private(set) var rate = SIMD3<Double>.zero

    /// The filtered rate when the sensor last lay still: its bias, whatever the filter of attitudes believes.
    private(set) var restingRate = SIMD3<Double>(repeating: 0)

    /// Whether the sensor lies still.
    var isAtRest: Bool { calm >= Self.calmSeconds }

    /// Whether the sensor is calm but for an even turn.
    var turnsEvenly: Bool { turning >= Self.calmSeconds }

    /// Adds a sample `interval` seconds after the one before: rotation in rad/s, acceleration in G of either sign.
    mutating func add(rate sample: SIMD3<Double>, acceleration: SIMD3<Double>, interval: Double) {
        let step = start.step(interval: interval, timeConstant: Self.timeConstant)
        rate = rateFilter.step(sample, step)
        let (turn, jerk) = (sample - rate, acceleration - accelerationFilter.step(acceleration, step))
        let isEven =
            (turn * turn).sum() < Self.rateLimit * Self.rateLimit
            && (jerk * jerk).sum() < Self.accelerationLimit * Self.accelerationLimit
        // What turns faster than a bias can be is no rest, however evenly it turns.
        let isSlow = rate.isWithin(GyroscopeBias.limit)
        // Held at a bound, so that the states of two sensors at rest are alike.
        calm = isEven && isSlow ? min(calm + interval, Self.calmSeconds) : 0
        turning = isEven && !isSlow ? min(turning + interval, Self.calmSeconds) : 0
        if isAtRest { restingRate = rate }
    }

    /// Forgets what was before a gap, but for `restingRate`.
    mutating func restart() {
        let kept = restingRate
        self = Self()
        restingRate = kept
    }
}
