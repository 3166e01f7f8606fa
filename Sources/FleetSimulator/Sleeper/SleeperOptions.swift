/// A recorded night, and how it is sent.
package struct SleeperOptions: Sendable, Hashable {
    /// Seconds awake before the onset of sleep, from when on the watch records.
    package var awakeBefore = 3_600.0

    /// Seconds from the onset to the end of sleep, awakenings included.
    package var asleep = 7 * 3_600.0

    /// Seconds awake after it, until the watch is taken off.
    package var awakeAfter = 1_800.0

    /// When the sleep ends, in seconds after midnight UTC.
    package var wakesAt = 23_400.0

    /// Awakenings: seconds after the onset, and how long each lasts.
    package var awakenings: [Awakening] = [Awakening(after: 8_400, seconds: 720), Awakening(after: 16_800, seconds: 720)]

    /// Samples a second, 2 to 200.
    package var rate = 5.0

    /// Samples of a frame, 1 to 4,096.
    package var samplesPerFrame = 600

    /// Seconds between two frames of a burst.
    package var frameInterval = 0.1

    /// Seconds between two bursts: what was recorded since the one before is sent.
    package var burstInterval = 600.0

    /// Creates a night of 7 hours with two awakenings.
    package init() {}

    /// A time awake during the night.
    package struct Awakening: Sendable, Hashable {
        /// Seconds after the onset.
        package var after: Double

        /// How long it lasts in s.
        package var seconds: Double

        /// Creates an awakening.
        package init(after: Double, seconds: Double) {
            self.after = after
            self.seconds = seconds
        }
    }

    /// Seconds from the first sample of the night to the last.
    package var recorded: Double { awakeBefore + asleep + awakeAfter }

    /// Whether the person is awake, so many seconds after the first sample.
    func isAwake(after elapsed: Double) -> Bool {
        let asleep = elapsed - awakeBefore
        guard asleep >= 0, asleep < self.asleep else { return true }
        return awakenings.contains { (0..<$0.seconds).contains(asleep - $0.after) }
    }
}

/// What is true of a simulated night.
package struct NightTruth: Sendable, Hashable {
    /// When the first sample was measured, unix seconds.
    package var start: Double
    /// When the sleep begins and ends, unix seconds.
    package var onset, end: Double
    /// How often the person was awake in between.
    package var awakenings: Int
}
