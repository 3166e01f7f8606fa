/// One forehand or backhand, by which way the wrist turned about gravity.
package struct Stroke: Sendable, Equatable, Codable {
    /// The two strokes that a turn about gravity distinguishes.
    package enum Name: String, Sendable, Codable, CaseIterable {
        /// On the racket hand's side, the palm leading.
        case forehand
        /// Across the body, the back of the hand leading.
        case backhand
    }

    /// Which of the two.
    package var stroke: Name
    /// The rotation about gravity within the window in rad; clockwise seen from above is positive.
    package var accumulatedRotation: Double
    /// The fastest rotation about gravity in rad/s, with the sign of `accumulatedRotation`.
    package var peakRotationRate: Double
    /// How likely it is a stroke of that name, 0-1.
    package var confidence: Double
    /// Forehands since the counts were zero, this one included.
    package var forehandCount: Int
    /// Backhands since the counts were zero, this one included.
    package var backhandCount: Int
}
