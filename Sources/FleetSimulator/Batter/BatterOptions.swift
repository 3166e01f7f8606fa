/// What a simulated batter does and how the watch packs it into frames.
package struct BatterOptions: Sendable, Hashable {
    /// The swings.
    package var swings: SwingPlan = .random()

    /// Movements that are not swings.
    package var waves: [ArmWave] = []

    /// The `activity` of the workout that runs from the start.
    package var activity: String = "baseball"

    /// Whether a workout is reported at all.
    package var reportsWorkout: Bool = true

    /// Seconds a batch spans.
    package var batchSeconds: Double = 1

    /// Seconds after the device's start at which the first batch ends; every `batchSeconds` from then on is an edge.
    package var firstBatchEdge: Double = 1

    /// Whether acceleration and motion are in one frame.
    package var layout: Layout = .together

    /// How the two batches of a second reach the wire.
    package enum Layout: Sendable, Hashable {
        /// In one frame.
        case together
        /// In a frame each, `motionLag` seconds apart; negative when the acceleration is the later one.
        case separate(motionLag: Double)
        /// Only the acceleration is sent.
        case accelerometerOnly
        /// Only the motion is sent.
        case deviceMotionOnly
    }
}
