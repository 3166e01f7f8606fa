package import TelemetryModel

/// How a head is held, relative to how it was held when it was neutral.
package struct Posture: Sendable, Equatable, Codable {
    /// The posture.
    package enum State: String, Sendable, Codable, CaseIterable {
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
    package var state: State
    /// The angle in rad to neutral in the plane from front to back, positive backwards; nil where not known.
    package var pitch: Double?
    /// The angle in rad to neutral in the plane from side to side, positive to the right; nil where not known.
    package var roll: Double?
    /// When the state began.
    package var since: DeviceTime
    /// Seconds of this UTC day away from neutral.
    package var awayToday: Double
}
