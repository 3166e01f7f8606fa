/// Notices another gateway of the same name by its heartbeats; a pure value.
///
/// A gateway that has just ended leaves some behind in the broker's queues, which come all at once: only heartbeats that go on coming
/// are of one that lives.
struct RivalTracker: Sendable {
    private static let livingSeconds = 2.0

    private var rival: Heartbeat.Instance?
    private var firstHeard = 0.0
    private var latestNumber = 0

    /// Takes a heartbeat of another instance; returns it once it is known to live.
    mutating func hear(_ heartbeat: Heartbeat, at monotonic: Double) -> Heartbeat.Instance? {
        guard heartbeat.instance == rival else {
            rival = heartbeat.instance
            firstHeard = monotonic
            latestNumber = heartbeat.number
            return nil
        }
        let isNewer = heartbeat.number > latestNumber
        latestNumber = max(latestNumber, heartbeat.number)
        return isNewer && monotonic - firstHeard >= Self.livingSeconds ? heartbeat.instance : nil
    }
}

/// Another gateway of the same name was there first.
package struct RivalGateway: Error, CustomStringConvertible {
    let name: String
    let started: Double

    /// What it is, and what to do.
    package var description: String {
        "another gateway called \(name) is running on this broker since \(Int(exactly: started.rounded()) ?? 0) (unix time): "
            + "give this one another gateway.name and state directory"
    }
}
