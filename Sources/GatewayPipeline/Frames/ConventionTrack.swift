package import SignalProcessing
import TelemetryModel

/// The units and signs of one motion stream of a device, measured once from its first samples.
package struct ConventionTrack: Sendable, Equatable, Codable {
    /// One sample is not enough: apps may send an invalid attitude first.
    private static let enough = 20
    /// Gravity along one axis matches several conventions; another posture is awaited for at most this many samples.
    private static let patience = 100
    /// After this many samples without a result the measurement starts again.
    private static let most = 1000

    /// The result; nil until it is measured.
    package private(set) var convention: MotionConvention?
    /// Whether the signs are the opposite of Core Motion's.
    package private(set) var isStandardised = false
    /// Whether it is of raw motion, whose unit shows its signs; nil for motion that the device has fused.
    private var isRaw: Bool?
    private var evidence = MotionEvidence()

    /// Adds unconverted samples; with `isStandardised` given only the unit is measured. Returns whether the convention was
    /// decided.
    mutating func measure(
        _ samples: MotionSamples, accelerationIsInUnitOfGravity: Bool, isStandardised override: Bool?
    ) -> Bool {
        if samples.raw == nil, isRaw == true { self = Self() }
        guard convention == nil else { return false }
        if let raw = samples.raw { return measure(raw) }
        if evidence.count >= Self.most { evidence = MotionEvidence() }
        for index in 0..<samples.count {
            evidence.add(gravity: samples.gravity[index], attitude: samples.attitude[index])
        }
        guard evidence.count >= Self.enough, let scale = evidence.gravityScale, let frame = frame(override) else { return false }
        let sign = frame == .apple ? 1.0 : -1.0
        let unit = accelerationIsInUnitOfGravity ? scale : frame == .apple ? 1 : 1 / MotionConvention.standardGravity
        var decided = MotionConvention()
        decided.gravityScale = sign * scale
        decided.accelerationScale = sign * unit
        decided.turnsAttitude = frame == .reversedAndTurned
        convention = decided
        isStandardised = frame != .apple
        evidence = MotionEvidence()
        return true
    }

    /// Adds raw samples. Sensors without fusion are in G with Core Motion's signs, or in m/s2 with the opposite ones.
    private mutating func measure(_ raw: RawMotion) -> Bool {
        isRaw = true
        if evidence.count >= Self.most { evidence = MotionEvidence() }
        for index in 0..<raw.acceleration.count { evidence.add(acceleration: raw.acceleration[index]) }
        guard evidence.count >= Self.enough, let scale = evidence.gravityScale else { return false }
        isStandardised = scale != 1
        var decided = MotionConvention()
        decided.accelerationScale = isStandardised ? -scale : scale
        decided.gravityScale = decided.accelerationScale
        convention = decided
        evidence = MotionEvidence()
        return true
    }

    /// Whether it tells how such motion is converted.
    func converts(_ motion: DecodedMotion) -> Bool { convention != nil && (isRaw == true) == (motion.samples.raw != nil) }

    /// Whether such motion is left out: the phone's beside that of its watch, which comes late and pauses. Both are `device-motion`.
    func overrules(_ motion: DecodedMotion) -> Bool { motion.samples.raw != nil && isRaw == nil }

    private func frame(_ override: Bool?) -> MotionEvidence.Frame? {
        let reversed: MotionEvidence.Frame =
            evidence.distance(.reversedAndTurned) < evidence.distance(.reversed) ? .reversedAndTurned : .reversed
        if let override { return override ? reversed : .apple }
        let fitting = evidence.frames
        if fitting.count == 1 { return fitting[0] }
        guard evidence.count >= Self.patience else { return nil }
        return fitting.contains(.apple) ? .apple : nil
    }
}

extension MotionSamples {
    /// The samples in Core Motion's units and signs.
    func converted(by convention: MotionConvention) -> MotionSamples {
        var result = self
        result.rotationRate = rotationRate.scaled(by: convention.rotationScale)
        result.userAcceleration = userAcceleration.scaled(by: convention.accelerationScale)
        result.gravity = gravity.scaled(by: convention.gravityScale)
        if case .sensors(var raw) = source {
            raw.acceleration = raw.acceleration.scaled(by: convention.accelerationScale)
            result.source = .sensors(raw)
        }
        if convention.turnsAttitude {
            let turned = (0..<count).map { MotionConvention.turned(attitude[$0]) }
            result.attitude = QuaternionColumns(
                x: turned.map(\.x), y: turned.map(\.y), z: turned.map(\.z), w: turned.map(\.w))
        }
        return result
    }
}

extension VectorColumns {
    fileprivate func scaled(by factor: Double) -> VectorColumns {
        factor == 1 ? self : VectorColumns(x: x.map { $0 * factor }, y: y.map { $0 * factor }, z: z.map { $0 * factor })
    }
}

extension DecodedMotion {
    /// The samples in Core Motion's units and signs, by `measured` where the producer does not state the convention.
    func body(_ measured: MotionConvention?) -> FrameBody {
        let convention: MotionConvention
        switch self.convention {
        case .fixed(let fixed): convention = fixed
        case .measured: convention = measured ?? MotionConvention()
        }
        let converted = samples.converted(by: convention)
        return stream == .headphoneMotion ? .headphoneMotion(converted) : .deviceMotion(converted)
    }
}
