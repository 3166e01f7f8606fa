/// The measured units and signs of a motion stream.
public struct MotionConventionReport: Sendable, Equatable, Codable {
    /// The stream.
    public var stream: StreamName
    /// The factor from its gravity to Core Motion's, in G.
    public var gravityScale: Double
    /// The factor from its acceleration to Core Motion's, in G.
    public var accelerationScale: Double
    /// Whether gravity and acceleration have the opposite of Core Motion's signs.
    public var standardised: Bool
    /// Whether yaw and pitch of the attitude have the opposite signs, too.
    public var turnsAttitude: Bool

    /// The measured convention of `stream`.
    public init(
        stream: StreamName, gravityScale: Double, accelerationScale: Double, standardised: Bool, turnsAttitude: Bool
    ) {
        self.stream = stream
        self.gravityScale = gravityScale
        self.accelerationScale = accelerationScale
        self.standardised = standardised
        self.turnsAttitude = turnsAttitude
    }
}
