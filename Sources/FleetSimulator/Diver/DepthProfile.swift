/// A depth over time: straight lines between points.
package struct DepthProfile: Sendable, Hashable {
    /// The depth at one time.
    package struct Point: Sendable, Hashable {
        /// Seconds after the device's start, or the start of a cycle.
        package var seconds: Double
        /// Meters below the surface.
        package var depth: Double

        /// Creates a point.
        package init(_ seconds: Double, _ depth: Double) {
            self.seconds = seconds
            self.depth = depth
        }
    }

    /// At least one point, in order of time; before the first and after the last the depth stays theirs.
    package var points: [Point]

    /// Seconds after which the profile starts over; nil follows it once.
    package var cycle: Double?

    /// Creates a profile.
    package init(_ points: [Point], cycle: Double? = nil) {
        self.points = points
        self.cycle = cycle
    }

    /// Within 30 s: through every depth state of a 6 m limit down to 7 m, three seconds there, and up at 0.8 m/s.
    package static let sevenMeters = DepthProfile([
        Point(2.5, 0), Point(4.2, 1.2), Point(8.2, 4.9), Point(10, 5.6), Point(12, 6.3), Point(13.5, 7), Point(16.5, 7),
        Point(25.3, 0),
    ])

    /// The depth, m, at a number of seconds since the device's start.
    package func depth(after elapsed: Double) -> Double {
        let seconds = if let cycle, cycle > 0 { elapsed.truncatingRemainder(dividingBy: cycle) } else { elapsed }
        guard let next = points.firstIndex(where: { $0.seconds > seconds }) else { return points.last?.depth ?? 0 }
        guard next > 0 else { return points[0].depth }
        let (from, to) = (points[next - 1], points[next])
        return from.depth + (to.depth - from.depth) * (seconds - from.seconds) / (to.seconds - from.seconds)
    }
}
