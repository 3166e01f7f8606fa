import GatewayConfiguration
package import GatewayPipeline
import Glibc
package import Metrics
import Mosquitto

/// The counts of a lane, copied out by its thread.
package struct LaneSnapshot: Sendable {
    /// The counts of the pipeline.
    package var counters = PipelineCounters()
    /// Devices that hold state in memory.
    package var activeDevices = 0
    /// Messages that wait for an earlier one.
    package var held = 0
    /// Messages of no known device, by reason.
    package var notAdmitted: [RejectionReason: Int] = [:]
    /// Devices by the states that were published last.
    package var fleet = FleetStates()
    /// The devices that cost the most.
    package var costliest = CostliestDevices()
    /// How long the lane's thread processed a frame, in seconds.
    package var process = Histogram(
        bounds: [5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 0.01, 0.025, 0.05, 0.1, 0.5, 1])
    /// The time from reading a frame to writing its acknowledgement, in seconds.
    package var settle = Histogram(
        bounds: [0.001, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10])
    /// How long a checkpoint took to write and synchronize, in seconds.
    package var checkpoint = Histogram(bounds: [1e-3, 2.5e-3, 5e-3, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5])

    /// The counts of two lanes. A device can have state in both: the greater number of devices counts.
    package static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.counters = left.counters + right.counters
        sum.activeDevices = max(left.activeDevices, right.activeDevices)
        sum.held += right.held
        sum.notAdmitted.merge(right.notAdmitted, uniquingKeysWith: +)
        sum.fleet = left.fleet + right.fleet
        sum.costliest = left.costliest + right.costliest
        sum.process = left.process + right.process
        sum.settle = left.settle + right.settle
        sum.checkpoint = left.checkpoint + right.checkpoint
        return sum
    }
}

/// Measures how long successive steps take.
struct Stopwatch {
    private var last = Self.now

    /// The seconds since the last lap, or since the start.
    mutating func lap() -> Double {
        let now = Self.now
        defer { last = now }
        return Double(now - last) / 1e9
    }

    /// The monotonic clock in nanoseconds.
    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// What of a running lane can be read from any thread.
struct LaneProbe: Sendable {
    /// The lane.
    let name: GatewayConfiguration.Lanes.Name
    /// Its connection; the lane runs on this client's thread.
    let client: MosquittoClient
    /// The heartbeats that it receives.
    let watch: LaneWatch
    /// The pulse of its committer.
    let committing: ThreadPulse
    /// Its counts.
    let mailbox: LaneMailbox
}
