/// One forehand or backhand, by which way the wrist turned about gravity.
public struct Stroke: Sendable, Equatable, Codable {
    /// The two strokes that a turn about gravity distinguishes.
    public enum Name: String, Sendable, Codable, CaseIterable {
        /// On the racket hand's side, the palm leading.
        case forehand
        /// Across the body, the back of the hand leading.
        case backhand
    }

    /// Which of the two.
    public var stroke: Name
    /// The rotation about gravity within the window in rad; clockwise seen from above is positive.
    public var accumulatedRotation: Double
    /// The fastest rotation about gravity in rad/s, with the sign of `accumulatedRotation`.
    public var peakRotationRate: Double
    /// How likely it is a stroke of that name, 0-1.
    public var confidence: Double
    /// Forehands since the counts were zero, this one included.
    public var forehandCount: Int
    /// Backhands since the counts were zero, this one included.
    public var backhandCount: Int

    /// A stroke and the counts after it.
    public init(
        stroke: Name, accumulatedRotation: Double, peakRotationRate: Double, confidence: Double, forehandCount: Int,
        backhandCount: Int
    ) {
        self.stroke = stroke
        self.accumulatedRotation = accumulatedRotation
        self.peakRotationRate = peakRotationRate
        self.confidence = confidence
        self.forehandCount = forehandCount
        self.backhandCount = backhandCount
    }
}
