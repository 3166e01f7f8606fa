/// What can be set about forehand and backhand; configuration has checked the ranges.
package struct StrokeSettings: Sendable, Equatable {
    /// How one stroke is kept from counting twice.
    package enum Counting: Sendable, Equatable {
        /// The first turn counts, at once; the next only after |mean rotation rate| over the newer half of the window was
        /// under `rate` in rad/s, which also empties the window.
        case untilStill(rate: Double)
        /// The fastest of the turns within `seconds` of the first counts, and none within `seconds` after it; above 0.
        case fastest(seconds: Double)
    }

    /// How long the window is that rotation is summed over, in seconds; above 0 and at most 1.
    package var windowSeconds: Double
    /// What |rotation about gravity| in the window must exceed, in rad; above 0.
    package var yawThreshold: Double
    /// What the fastest rotation in the window must exceed the same way round, in rad/s; above 0.
    package var rateThreshold: Double
    /// How one stroke is kept from counting twice.
    package var counting: Counting
    /// The longest interval between samples, in seconds, that rotation is summed across; above 0.
    package var longestGapSeconds: Double
    /// How long an undecided stroke waits for more samples, in seconds of device time; 0 or more.
    package var waitSeconds: Double

    /// The thresholds, which have no defaults: they are a game's.
    package init(
        windowSeconds: Double, yawThreshold: Double, rateThreshold: Double, counting: Counting,
        longestGapSeconds: Double = 0.125, waitSeconds: Double = 2.5
    ) {
        self.windowSeconds = windowSeconds
        self.yawThreshold = yawThreshold
        self.rateThreshold = rateThreshold
        self.counting = counting
        self.longestGapSeconds = longestGapSeconds
        self.waitSeconds = waitSeconds
    }
}

extension StrokeSettings {
    /// The thresholds of WWDC16 session 713, for tennis: a stroke, then a pause.
    package static let tennis = StrokeSettings(
        windowSeconds: 1, yawThreshold: 1.95, rateThreshold: 5.5, counting: .untilStill(rate: 5.5 * 0.05))

    /// Found on two recordings of topspin strokes against a ball robot at 50 Hz, and the middle of what works there.
    ///
    /// The fast part of a stroke lasts 0.2 s, turns 1.6-3.5 rad and reaches 15-25 rad/s. The backswing just before it turns
    /// up to 2 rad the other way at up to 11 rad/s: only the speed tells the two apart.
    package static let tableTennis = StrokeSettings(
        windowSeconds: 0.25, yawThreshold: 1, rateThreshold: 9, counting: .fastest(seconds: 0.5))
}
