package import GatewayPipeline
import Glibc
import TelemetryModel

/// The gateway's clocks, injected so that tests do not have to wait.
package protocol GatewayClock: Sendable {
    /// The instant on both clocks.
    var now: GatewayTime { get }

    /// Waits; throws `CancellationError` when the calling task is cancelled.
    func sleep(seconds: Double) async throws
}

/// The system's clocks.
package struct SystemGatewayClock: GatewayClock {
    /// The system's clocks.
    package init() {}

    /// `CLOCK_REALTIME` and `CLOCK_BOOTTIME`, which also counts while the machine is suspended, as devices' clocks do.
    package var now: GatewayTime {
        GatewayTime(unix: UnixTime(read(CLOCK_REALTIME)), monotonic: read(CLOCK_BOOTTIME))
    }

    /// Waits on the continuous clock.
    package func sleep(seconds: Double) async throws {
        try await Task.sleep(for: .seconds(seconds), clock: .continuous)
    }

    private func read(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
