/// Detects another running gateway of the same name by its heartbeats; a pure value.
///
/// A gateway that has just ended leaves heartbeats in the broker's queues, which are delivered all at once. Only heartbeats that keep
/// coming are those of a running gateway.
struct DuplicateNameTracker: Sendable {
    private static let runningSeconds = 2.0

    private var instance: Heartbeat.Instance?
    private var firstReceivedAt = 0.0
    private var latestNumber = 0

    /// Records a heartbeat of another instance; returns the instance once it is known to be running.
    mutating func record(_ heartbeat: Heartbeat, at monotonic: Double) -> Heartbeat.Instance? {
        guard heartbeat.instance == instance else {
            instance = heartbeat.instance
            firstReceivedAt = monotonic
            latestNumber = heartbeat.number
            return nil
        }
        let isNewer = heartbeat.number > latestNumber
        latestNumber = max(latestNumber, heartbeat.number)
        return isNewer && monotonic - firstReceivedAt >= Self.runningSeconds ? heartbeat.instance : nil
    }
}

/// Another gateway of the same name runs on the broker, and started earlier.
package struct DuplicateGatewayName: Error, CustomStringConvertible {
    let name: String
    let started: Double

    /// What it is, and what to do.
    package var description: String {
        "another gateway called \(name) is running on this broker since \(Int(exactly: started.rounded()) ?? 0) (unix time): "
            + "give this one another gateway.name and state directory"
    }
}
