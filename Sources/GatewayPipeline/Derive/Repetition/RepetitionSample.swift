import SignalProcessing
import TelemetryModel

/// The signals that repetitions are looked for in, at 25 Hz.
enum RepetitionSample {
    /// Cells a second.
    static let hertz = 25.0
    /// The band of repetitions: 0.15 to 1.5 Hz.
    static let band = CausalBandPass(from: 0.15, to: 1.5, sampleHertz: hertz)
    /// The length of the window in which a period is looked for, in cells: 8 s.
    static let window = 200
    /// The cells that are kept while no set is under way, 18 s: uneven first repetitions make a set late to be found.
    static let kept = 450
    /// The longest gap that is bridged, in cells: 0.5 s.
    static let longestGap = 12
    /// The units in which the filtered signals, and the magnitude of the acceleration, are kept.
    static let scales: [Double] = [
        gravityScale, gravityScale, gravityScale, rateScale, rateScale, rateScale, accelerationScale, accelerationScale,
        accelerationScale, accelerationScale,
    ]
    private static let gravityScale = 1.0 / 16_384
    private static let rateScale = 1.0 / 800
    private static let accelerationScale = 1.0 / 1_024
    /// The column of the magnitude of the acceleration.
    static let magnitude = 9

    /// Gravity, rotation rate and total acceleration, three components each; the others are not used.
    typealias Values = SIMD16<Double>

    /// The values of a sample.
    static func values(_ samples: MotionSamples, at index: Int) -> Values {
        let (gravity, rate) = (samples.gravity[index], samples.rotationRate[index])
        return values(gravity: gravity, rate: rate, acceleration: gravity + samples.userAcceleration[index])
    }

    /// The values of three vectors.
    static func values(gravity: SIMD3<Double>, rate: SIMD3<Double>, acceleration: SIMD3<Double>) -> Values {
        Values(
            gravity.x, gravity.y, gravity.z, rate.x, rate.y, rate.z, acceleration.x, acceleration.y, acceleration.z, 0, 0, 0,
            0, 0, 0, 0)
    }
}

extension RepetitionSignal {
    /// The first of its three columns.
    var column: Int {
        switch self {
        case .tilt: 0
        case .rotation: 3
        case .acceleration: 6
        }
    }

    /// The least amplitude (RMS) of a repetition.
    func leastAmplitude(_ settings: RepetitionSettings) -> Double {
        self == .rotation ? settings.amplitudeRate : settings.amplitudeG
    }
}
