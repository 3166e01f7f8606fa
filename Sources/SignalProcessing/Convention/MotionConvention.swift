/// The conversion of another convention to Core Motion's.
package struct MotionConvention: Sendable, Equatable, Codable {
    /// Standard gravity in m/s2: one G.
    package static let standardGravity = 9.80665

    /// G for each unit of the input; negative where the sign is Android's.
    package var accelerationScale = 1.0
    /// G for each unit of the input; negative where the sign is Android's.
    package var gravityScale = 1.0
    /// rad/s for each unit of the input.
    package var rotationScale = 1.0
    /// Whether yaw and pitch of the attitude have Android's sign.
    package var turnsAttitude = false

    /// Core Motion's own convention.
    package init() {}

    /// The attitude with the opposite yaw and pitch and the same roll; its own inverse.
    ///
    /// Yaw and pitch are the turns about z and x, roll the one about y; half a turn of both frames about y reverses the first two.
    package static func turned(_ attitude: SIMD4<Double>) -> SIMD4<Double> { attitude * SIMD4(-1, 1, -1, 1) }
}
