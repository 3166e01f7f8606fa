/// The sums of a signal's rises and falls, from extreme to extreme. A turn counts once the signal has come back from its
/// extreme by the hysteresis, so that noise within it is not summed.
package struct ZigZag: Sendable, Equatable, Codable {
    /// A leg that takes long and rises or falls slowly is drift.
    package struct Drift: Sendable, Equatable {
        /// Seconds from which on a leg may be drift.
        package var seconds: Double
        /// The rate in units a second up to which it is.
        package var rate: Double

        /// Legs of at least `seconds`, no faster than `rate`.
        package init(seconds: Double, rate: Double) {
            self.seconds = seconds
            self.rate = rate
        }
    }

    private struct Point: Sendable, Equatable, Codable {
        var time: Double
        var value: Double
    }

    /// What was summed of the legs that have ended.
    private var rise = 0.0
    private var fall = 0.0
    /// Where the open leg began: before its direction is known the lowest value so far.
    private var low: Point
    /// The other end of the open leg: before its direction is known the highest value so far.
    private var high: Point
    /// Whether the open leg rises; nil before it is longer than the hysteresis.
    private var rises: Bool?

    /// A signal that begins with `value` at `time` in s.
    package init(value: Double, at time: Double) {
        low = Point(time: time, value: value)
        high = low
    }

    /// Processes a sample.
    package mutating func step(_ value: Double, at time: Double, hysteresis: Double, drift: Drift? = nil) {
        let point = Point(time: time, value: value)
        switch rises {
        case nil:
            if value < low.value { low = point }
            if value > high.value { high = point }
            guard high.value - low.value >= hysteresis else { return }
            rises = high.time > low.time
        case true?:
            if value > high.value {
                high = point
            } else if high.value - value >= hysteresis {
                rise += Self.length(low, high, drift)
                rises = false
                low = point
            }
        case false?:
            if value < low.value {
                low = point
            } else if value - low.value >= hysteresis {
                fall += Self.length(high, low, drift)
                rises = true
                high = point
            }
        }
    }

    /// The sums of all rises and of all falls, both 0 or more, the open leg included.
    package func sums(drift: Drift? = nil) -> (rise: Double, fall: Double) {
        guard let rises else { return (rise, fall) }
        return rises ? (rise + Self.length(low, high, drift), fall) : (rise, fall + Self.length(high, low, drift))
    }

    private static func length(_ start: Point, _ end: Point, _ drift: Drift?) -> Double {
        let length = abs(end.value - start.value)
        if let drift, end.time - start.time >= drift.seconds, length <= drift.rate * (end.time - start.time) { return 0 }
        return length
    }
}
