package import TelemetryModel

/// Gaps in a series of known rate, measured from timestamps within and between frames.
package struct SampleGaps: Sendable, Equatable, Codable {
    /// Watch batches alternate between two intervals 1.6 % apart; anything longer than this many intervals is a gap.
    private static let tolerance = 2.5

    private var last: Double?

    /// Discards the last sample: a gap already reported in frames is not reported again in samples.
    package mutating func skipJoin() { last = nil }

    /// Processes the timestamps of one frame; all gaps in it, including the one after the frame before, are reported as one.
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
