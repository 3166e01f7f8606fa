import TelemetryModel

/// The direction of gravity when a head was neutral, and the calm time after which it is taken.
struct NeutralPosture: Sendable, Equatable, Codable {
    /// The direction, of unit length; nil until a calm moment.
    private(set) var gravity: SIMD3<Double>?
    /// Its angles from front to back and from side to side, in rad.
    private(set) var pitch = 0.0
    private(set) var roll = 0.0
    /// When its calm time ended, in s.
    private var takenAt = 0.0
    private var calmSince: Double?
    private var sum = SIMD3<Double>.zero
    /// When another was asked for, in s.
    private var requestedAt: Double?

    /// Requests another: the first whose calm time starts at or after `time`, in s.
    mutating func request(at time: Double) { requestedAt = max(time, requestedAt ?? time) }

    /// Drops what was taken up to `time`, in s; returns whether something was.
    mutating func disconnect(at time: Double) -> Bool {
        if let calmSince, calmSince <= time { self.calmSince = nil }
        guard gravity != nil, takenAt <= time else { return false }
        gravity = nil
        return true
    }

    /// Ends the calm time: samples are missing.
    mutating func interrupt() { calmSince = nil }

    /// Takes the sample at `time`, in s; returns whether a neutral posture was taken.
    mutating func take(_ sample: HeadSample, at time: Double, _ settings: PostureSettings) -> Bool {
        guard gravity == nil || requestedAt != nil else { return false }
        let isCalm =
            sample.acceleration < settings.calmAccelerationG && sample.speed < settings.calmDegreesPerSecond * .pi / 180
            && time >= requestedAt ?? time
        guard isCalm else {
            calmSince = nil
            return false
        }
        if calmSince == nil { (calmSince, sum) = (time, .zero) }
        sum += sample.gravity
        guard let calmSince, time - calmSince >= settings.calmSeconds - 1e-6 else { return false }
        let length = (sum * sum).sum().squareRoot()
        guard length > 1e-3 else { return false }
        let neutral = sum / length
        (gravity, takenAt, requestedAt, self.calmSince) = (neutral, time, nil, nil)
        (pitch, roll) = (HeadSample.pitch(of: neutral), HeadSample.roll(of: neutral))
        return true
    }
}
