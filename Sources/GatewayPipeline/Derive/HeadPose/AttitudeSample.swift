import SignalProcessing
import TelemetryModel

/// One sample of a head pose: a usable attitude, and the rotation rate that predicts its change.
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

    /// Whether this attitude agrees with the one that the rotation since `previous` predicts; a step too long to be compared does
    /// not agree.
    func agrees(with previous: Self, settings: HeadPoseSettings) -> Bool {
        deviation(from: previous, settings: settings).map { $0 <= settings.agreementDegrees * .pi / 180 } ?? false
    }

    /// The angle in rad between this attitude and the one that the rotation since `previous` predicts; nil for a step too long to
    /// be compared.
    ///
    /// The rate is the mean of both samples: at 25 Hz the error of either alone passes 2 degrees in a fast turn.
    func deviation(from previous: Self, settings: HeadPoseSettings) -> Double? {
        let seconds = time - previous.time
        guard seconds <= settings.maximumStepSeconds else { return nil }
        let predicted = Attitude.predicted(
            from: previous.attitude, rotationRate: (previous.rotationRate + rotationRate) / 2, seconds: seconds)
        return Attitude.angle(between: predicted, and: attitude)
    }
}
