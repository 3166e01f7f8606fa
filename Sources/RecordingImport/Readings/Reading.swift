/// The content of one row, at an instant of the device's clock.
struct TimedReading {
    /// Microseconds on the device's clock.
    var micros: Int64
    var reading: Reading
}

/// The content of one row.
enum Reading {
    case motion(MotionReading)
    case raw(RawReading)
    /// What one sensor of several measured; never in a frame.
    case vector(SIMD3<Double>)
    case altitude(AltitudeReading)
    case water(WaterReading)
    /// The water was left.
    case surfaced
    case pedometer(PedometerReading)
    case workout(WorkoutReading)

    /// Whether readings of one instant may follow each other: lists take them, columns of samples do not.
    var mayShareInstant: Bool {
        switch self {
        case .motion, .raw, .vector, .altitude: false
        case .water, .surfaced, .pedometer, .workout: true
        }
    }

    /// Whether it is what was measured in water before.
    func repeats(_ before: Self?) -> Bool {
        if case .water(let own) = self, case .water(let before)? = before { own == before } else { false }
    }

    /// Whether it can stand in a frame behind `other`: the columns of one have the same length.
    func fits(behind other: Self) -> Bool {
        guard case .altitude(let own) = self, case .altitude(let before) = other else { return true }
        return (own.relativeAltitude == nil) == (before.relativeAltitude == nil)
            && (own.pressure == nil) == (before.pressure == nil)
    }

    /// Whether it is a frame of its own, which devices retain.
    var isState: Bool { if case .workout = self { true } else { false } }
}

/// One sample of `CMDeviceMotion` in Core Motion's units and signs.
struct MotionReading: Equatable {
    /// x, y, z, w.
    var attitude: SIMD4<Double>
    /// rad/s.
    var rotationRate: SIMD3<Double>
    /// G.
    var userAcceleration: SIMD3<Double>
    /// G, pointing down.
    var gravity: SIMD3<Double>
    /// Where it was measured.
    var sensorLocation: Location = .default
    /// Core Motion's name of the frame the attitude is relative to, where the export gives it.
    var referenceFrame: String?

    /// The locations by Core Motion's names.
    enum Location: String {
        case `default`, headphoneLeft, headphoneRight
    }
}

/// One sample of sensors without fusion, in Core Motion's units and signs.
struct RawReading: Equatable {
    /// With gravity, in G.
    var acceleration: SIMD3<Double>
    /// rad/s.
    var rotationRate: SIMD3<Double>
    /// Microtesla.
    var magneticField: SIMD3<Double>?
}

/// One sample of `CMAltitudeData`, or what is known of it.
struct AltitudeReading: Equatable {
    /// m.
    var relativeAltitude: Double?
    /// kPa.
    var pressure: Double?
}

/// One count of `CMPedometerData`.
struct PedometerReading: Equatable {
    /// When counting began, microseconds on the device's clock; nil for the start of the recording.
    var since: Int64?
    /// Steps since then.
    var steps: Int
    /// Metres since then.
    var distance: Double?
    /// Seconds a metre.
    var pace: Double?
    /// Steps a second.
    var cadence: Double?
}

/// One row of a dive log; the gateway converts the units.
struct WaterReading: Equatable {
    var depth: Measured?
    var pressure: Measured?
    var surfacePressure: Measured?
    var temperature: Measured?

    /// A number with its unit as the wire contract spells it.
    struct Measured: Equatable {
        var value: Double
        var unit: String
    }
}

/// A change of a workout session.
struct WorkoutReading: Equatable {
    var state: State
    /// HealthKit's name of the activity.
    var activity: String?

    /// The states by the wire contract's names.
    enum State: String {
        case running, paused, ended
    }
}
