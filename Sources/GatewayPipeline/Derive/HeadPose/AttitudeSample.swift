import SignalProcessing
import TelemetryModel

/// One sample of motion: a usable attitude, and the rotation rate that predicts its change.
struct AttitudeSample: Codable, Sendable, Equatable {
    /// The norms that rounding and single precision can cause; other quaternions are invalid.
    private static let acceptedNorm = 0.9...1.1

    /// When it was measured.
    let time: DeviceTime
    /// The attitude, brought to unit length.
    let attitude: SIMD4<Double>
    /// Rotation in rad/s about the device's axes.
    let rotationRate: SIMD3<Double>
    /// Magnitude of the user acceleration in G.
    let acceleration: Double

    /// Sample `index`; nil when its attitude is degenerate or one of its numbers is not finite.
    init?(_ samples: borrowing MotionSamples, at index: Int) {
        let acceleration = samples.userAcceleration[index]
        time = DeviceTime(samples.timestamp[index])
        rotationRate = samples.rotationRate[index]
        self.acceleration = (acceleration * acceleration).sum().squareRoot()
        guard
            let attitude = Quaternion.normalized(samples.attitude[index], ifNormIn: Self.acceptedNorm),
            time.seconds.isFinite, self.acceleration.isFinite, (rotationRate * rotationRate).sum().isFinite
        else { return nil }
        self.attitude = attitude
    }

    /// How far in rad an attitude may be from the one that its rotation rate predicts: 2 degrees.
    private static let agreement = 2 * Double.pi / 180
    /// The longest step in s for which a rotation rate predicts the attitude.
    private static let longestStep = 0.5

    /// Whether this attitude agrees with the one that the rotation since `previous` predicts; a step too long to be compared does
    /// not agree.
    func agrees(with previous: Self) -> Bool { Self.agrees(deviation(from: previous)) }

    /// Whether an attitude with a deviation from the predicted one agrees with that.
    static func agrees(_ deviation: Double?) -> Bool { deviation.map { $0 <= agreement } ?? false }

    /// The angle in rad between this attitude and the one that the rotation since `previous` predicts; nil for a step too long to
    /// be compared.
    ///
    /// The rate is the mean of both samples: at 25 Hz the error of either alone passes 2 degrees in a fast turn.
    func deviation(from previous: Self) -> Double? {
        let seconds = time - previous.time
        guard seconds <= Self.longestStep else { return nil }
        let predicted = Attitude.predicted(
            from: previous.attitude, rotationRate: (previous.rotationRate + rotationRate) / 2, seconds: seconds)
        return Attitude.angle(between: predicted, and: attitude)
    }
}
