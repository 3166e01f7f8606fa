package import TelemetryModel

/// Holes in a series of known rate, measured from timestamps within and between frames.
package struct SampleGaps: Sendable, Equatable, Codable {
    /// Watch batches alternate between two intervals 1.6 % apart; anything longer than this many intervals is a hole.
    private static let tolerance = 2.5

    private var last: Double?

    /// No sample yet.
    package init() {}

    /// Forgets the last sample: a hole that was already told in frames is not told again in samples.
    package mutating func skipJoin() { last = nil }

    /// Takes the timestamps of one frame; all holes in it, the join to the frame before included, make one gap.
    package mutating func consume(_ timestamps: [Double], hertz: Double, stream: StreamName) -> Gap? {
        let interval = 1 / hertz
        var previous = last
        var from: Double?
        var to = 0.0
        var missing = 0.0
        for timestamp in timestamps {
            if let previous, timestamp - previous > Self.tolerance * interval {
                missing += ((timestamp - previous) * hertz).rounded() - 1
                from = from ?? previous
                to = timestamp
            }
            previous = timestamp
        }
        last = previous
        guard let from, let missing = Int(exactly: missing) else { return nil }
        return Gap(
            stream: stream, unit: .samples, expected: missing.addingSaturated(timestamps.count), received: timestamps.count,
            from: DeviceTime(from), to: DeviceTime(to))
    }
}
