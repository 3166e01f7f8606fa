/// A sample at a peak.
package struct SignalPeak: Sendable, Equatable, Codable {
    /// The sample's time in seconds.
    package var time: Double
    /// The sample's value.
    package var value: Double
}

/// Selects the greatest of a cluster of samples, so that no two selected samples are closer than a refractory time.
///
/// A cluster lasts for the refractory time from its first sample on, and its greatest sample is selected. When it is final
/// depends on the samples alone, and a run of increasing samples cannot delay it.
package struct RefractoryPeak: Sendable, Equatable, Codable {
    /// The greatest sample so far, while a greater one may still replace it.
    package private(set) var pending: SignalPeak?
    private var clusterStart: Double?
    private var lastPick: Double?

    /// No peak yet.
    package init() {}

    /// Processes the time of a sample, and its value if it qualifies; returns the peak that this sample makes final.
    ///
    /// Times increase from call to call and, like `refractory`, are in seconds; a NaN never qualifies.
    package mutating func step(time: Double, qualifying value: Double?, refractory: Double) -> SignalPeak? {
        var final: SignalPeak?
        if let clusterStart, time - clusterStart >= refractory { final = flush() }
        guard let value else { return final }
        if let lastPick, time - lastPick < refractory { return final }
        clusterStart = clusterStart ?? time
        if value > pending?.value ?? -.infinity { pending = SignalPeak(time: time, value: value) }
        return final
    }

    /// Makes the pending peak final without waiting; later samples within the refractory time of it are ignored.
    package mutating func flush() -> SignalPeak? {
        defer {
            pending = nil
            clusterStart = nil
        }
        if let pending { lastPick = pending.time }
        return pending
    }
}
