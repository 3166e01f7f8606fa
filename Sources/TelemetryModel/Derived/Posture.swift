/// How a head is held, relative to how it was held when it was neutral.
public struct Posture: Sendable, Equatable, Codable {
    /// The posture.
    public enum State: String, Sendable, Codable, CaseIterable {
        /// Near the neutral one.
        case neutral
        /// Bent forward.
        case forward
        /// Bent back.
        case back
        /// Tilted to a side.
        case tilted
        /// Not known.
        case unknown
    }

    /// The posture.
    public var state: State
    /// The angle in rad to neutral in the plane from front to back, positive backwards; nil where not known.
    public var pitch: Double?
    /// The angle in rad to neutral in the plane from side to side, positive to the right; nil where not known.
    public var roll: Double?
    /// When the state began.
    public var since: DeviceTime
    /// Seconds of this UTC day away from neutral.
    public var awayToday: Double

    /// A posture since an instant.
    public init(state: State, pitch: Double? = nil, roll: Double? = nil, since: DeviceTime, awayToday: Double) {
        self.state = state
        self.pitch = pitch
        self.roll = roll
        self.since = since
        self.awayToday = awayToday
    }
}
