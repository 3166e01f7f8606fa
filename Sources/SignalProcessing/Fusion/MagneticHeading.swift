internal import Foundation

/// Turns a frame with z upwards about z until x points to magnetic north, and rejects fields that are not the earth's.
///
/// Sections 3.2 and 3.5 of the paper that `OrientationFilter` names, with its default parameters. There y points north.
struct MagneticHeading: Sendable, Equatable, Codable {
    /// Time constant of the heading's correction in s.
    private static let timeConstant = 9.0
    /// Time constant of the filter of the field's strength and dip in s.
    private static let fieldTimeConstant = 0.05
    /// Time constant with which the reference follows the field in s.
    private static let referenceTimeConstant = 20.0
    /// How far the strength may be from the reference, relative to it.
    private static let strengthTolerance = 0.1
    /// How far the dip may be from the reference: 10 degrees, in rad.
    private static let dipTolerance = 10 * Double.pi / 180
    /// How long the field must agree with the reference until it is undisturbed again, in s.
    private static let undisturbedSeconds = 0.5
    /// How long another field must hold in motion to become the reference, in s; the first one, in s.
    private static let newFieldSeconds = 20.0
    private static let firstFieldSeconds = 5.0
    /// What counts as motion for that: 20 degrees/s, in rad/s.
    private static let newFieldRate = 20 * Double.pi / 180
    /// How long a disturbed field is ignored in s; after that it is followed, slower by the factor.
    private static let rejectionSeconds = 60.0
    private static let rejectionFactor = 2.0

    /// Strength in microtesla and dip in rad, positive downwards.
    private struct Field: Sendable, Equatable, Codable {
        var strength = 0.0
        var dip = 0.0

        func agrees(with reference: Field) -> Bool {
            abs(strength - reference.strength) < strengthTolerance * reference.strength
                && abs(dip - reference.dip) < dipTolerance
        }

        mutating func follow(_ other: Field, gain: Double) {
            strength += gain * (other.strength - strength)
            dip += gain * (other.dip - dip)
        }
    }

    /// The turn about z in rad, -pi...pi.
    private(set) var angle = 0.0
    /// Whether the field is not the reference.
    private(set) var isDisturbed = true
    private var reference = Field()
    private var candidate = Field()
    private var fieldFilter = SettledLowPass()
    private var start = LowPassStart()
    private var undisturbed = 0.0
    private var candidateSeconds = 0.0
    /// How much of the time for which a disturbed field is ignored has passed. All of it at the start, when there is no heading to keep.
    private var rejected = rejectionSeconds
    /// The gain of a mean over all samples so far, until the filter's own is greater; 0 from then on.
    private var startGain = 1.0
    /// Seconds since the last field: a magnetometer may be slower than the rest.
    private var elapsed = 0.0

    /// Whether the turn has come to the north of an undisturbed field.
    var isSettled: Bool { startGain == 0 && !isDisturbed }

    /// Takes the next heading as it is, and keeps the reference field.
    mutating func restart() {
        angle = 0
        startGain = 1
        rejected = Self.rejectionSeconds
        undisturbed = 0
        elapsed = 0
        fieldFilter = SettledLowPass()
        start = LowPassStart()
    }

    /// Adds a sample: the field in microtesla in the frame that is turned, nil where there is none, and the filtered rotation rate.
    mutating func add(_ field: SIMD3<Double>?, rate: SIMD3<Double>, interval: Double) {
        elapsed += interval
        guard let field else { return }
        let strength = (field * field).sum().squareRoot()
        guard strength > 0 else { return }
        let interval = min(elapsed, OrientationFilter.gapSeconds)
        elapsed = 0
        let dip = -asin(min(max(field.z / strength, -1), 1))
        let step = start.step(interval: interval, timeConstant: Self.fieldTimeConstant)
        let filtered = fieldFilter.step(SIMD3(strength, dip, 0), step)
        let isMoving = (rate * rate).sum() >= Self.newFieldRate * Self.newFieldRate
        judge(Field(strength: filtered.x, dip: filtered.y), isMoving: isMoving, interval)
        let off = Self.wrapped(-atan2(field.y, field.x) - angle)
        var gain = Self.gain(interval, Self.timeConstant)
        if !isDisturbed {
            rejected = max(rejected - Self.rejectionFactor * interval, 0)
        } else if rejected <= Self.rejectionSeconds {
            rejected += interval
            gain = 0
        } else {
            gain /= Self.rejectionFactor
        }
        if startGain > 0 {
            gain = max(gain, startGain)
            startGain /= startGain + 1
            if startGain * Self.timeConstant < interval { startGain = 0 }
        }
        angle = Self.wrapped(angle + gain * off)
    }

    /// Compares the field with the reference and with the one that may replace it.
    private mutating func judge(_ field: Field, isMoving: Bool, _ interval: Double) {
        let gain = Self.gain(interval, Self.referenceTimeConstant)
        if field.agrees(with: reference) {
            undisturbed = min(undisturbed + interval, Self.undisturbedSeconds)
            if undisturbed >= Self.undisturbedSeconds {
                isDisturbed = false
                reference.follow(field, gain: gain)
            }
        } else {
            undisturbed = 0
            isDisturbed = true
        }
        guard field.agrees(with: candidate) else {
            candidate = field
            candidateSeconds = 0
            return
        }
        if isMoving { candidateSeconds = min(candidateSeconds + interval, Self.newFieldSeconds) }
        candidate.follow(field, gain: gain)
        let needed = reference.strength == 0 ? Self.firstFieldSeconds : Self.newFieldSeconds
        if isDisturbed && candidateSeconds >= needed {
            reference = candidate
            isDisturbed = false
            undisturbed = Self.undisturbedSeconds
        }
    }

    /// An angle of -2 pi...2 pi brought to -pi...pi.
    private static func wrapped(_ angle: Double) -> Double {
        angle > .pi ? angle - 2 * .pi : angle < -.pi ? angle + 2 * .pi : angle
    }

    /// 1 - exp(-interval / timeConstant), as a fraction: 1e-10 off for the longest interval.
    private static func gain(_ interval: Double, _ timeConstant: Double) -> Double {
        let x = interval / timeConstant
        return x / (1 + x / 2 + x * x / 12)
    }
}
