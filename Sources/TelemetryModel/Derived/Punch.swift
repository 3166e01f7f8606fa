/// One punch.
public struct Punch: Sendable, Equatable, Codable {
    /// An axis of the device.
    public enum Direction: String, Sendable, Codable, CaseIterable {
        /// Along the forearm.
        case x
        /// Across it, along the screen.
        case y
        /// Out of the screen.
        case z
    }

    /// The sample of the greatest acceleration.
    public var impactAt: DeviceTime
    /// The acceleration there in G, without gravity.
    public var peakAcceleration: Double
    /// The axis of its greatest component.
    public var direction: Direction
    /// The change of speed along that axis in the time before, in m/s; nil where samples are missing.
    public var speedBefore: Double?
    /// The greatest acceleration the other way just after, in G; nil for none.
    public var recoil: Double?
    /// Seconds from the impact to it; nil for none.
    public var recoilTime: Double?
    /// Punches since the workout began, this one included.
    public var count: Int
    /// How likely it is a punch, 0-1.
    public var confidence = 0.0
    /// The wrist; nil where it is not known.
    public var hand: Side?
    /// The rate of the samples in Hz: 800, 200, 100, 50 or 25.
    public var sampleRate: Int
    /// Whether the sensor may have been at its limit: three samples are within 2 % of the greatest.
    public var clipped: Bool

    /// A punch.
    public init(
        impactAt: DeviceTime, peakAcceleration: Double, direction: Direction, speedBefore: Double?, recoil: Double?,
        recoilTime: Double?, count: Int, hand: Side?, sampleRate: Int, clipped: Bool
    ) {
        self.impactAt = impactAt
        self.peakAcceleration = peakAcceleration
        self.direction = direction
        self.speedBefore = speedBefore
        self.recoil = recoil
        self.recoilTime = recoilTime
        self.count = count
        self.hand = hand
        self.sampleRate = sampleRate
        self.clipped = clipped
    }
}
