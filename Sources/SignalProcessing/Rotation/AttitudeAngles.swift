/// An attitude as three angles in rad, turned in the order yaw about Z, pitch about X, roll about Y.
///
/// At a pitch of +-pi/2 only yaw + roll or yaw - roll is defined; either angle alone is arbitrary.
package struct AttitudeAngles: Sendable, Equatable {
    /// About the device's Y axis, -pi...pi.
    package var roll: Double
    /// About the device's X axis, -pi/2...pi/2.
    package var pitch: Double
    /// About the device's Z axis, -pi...pi, counter-clockwise seen from above.
    package var yaw: Double
}
