/// What was measured of the units and signs that a motion stream comes in.
public struct MotionConventionReport: Sendable, Equatable, Codable {
    /// The stream.
    public var stream: StreamName
    /// What a number of its gravity is multiplied by to be Core Motion's, in G.
    public var gravityScale: Double
    /// What a number of its acceleration is multiplied by to be Core Motion's, in G.
    public var accelerationScale: Double
    /// Whether gravity and acceleration came with the opposite of Core Motion's signs.
    public var standardised: Bool
    /// Whether yaw and pitch of the attitude did so too.
    public var turnsAttitude: Bool

    /// What was measured of `stream`.
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
