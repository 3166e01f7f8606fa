package import GatewayPipeline
import Glibc
import TelemetryModel

/// The gateway's clocks, injected so that tests do not have to wait.
package protocol GatewayClock: Sendable {
    /// The instant on both clocks.
    var now: GatewayTime { get }

    /// Waits; throws `CancellationError` when the calling task is cancelled.
    func sleep(seconds: Double) async throws

    /// Waits until the monotonic clock reaches the next multiple of `seconds`; throws as `sleep(seconds:)` does.
    ///
    /// For what is repeated: tasks that wait for the same instant wake the process once.
    func sleep(untilNext seconds: Double) async throws
}

extension GatewayClock {
    package func sleep(untilNext seconds: Double) async throws {
        let now = now.monotonic
        try await sleep(seconds: now.nextMultiple(of: seconds) - now)
    }

    /// Waits until `condition` holds, which is asked every 20 ms, or for `seconds`; returns whether it holds. Throws as `sleep(seconds:)` does.
    @discardableResult
    package func wait(within seconds: Double, until condition: () -> Bool) async throws -> Bool {
        let deadline = now.monotonic + seconds
        while !condition() {
            guard now.monotonic < deadline else { return false }
            try await sleep(seconds: 0.02)
        }
        return true
    }
}

extension Double {
    /// The first multiple of `step`, which must be positive, after this value.
    func nextMultiple(of step: Double) -> Double {
        let next = ((self / step).rounded(.down) + 1) * step
        // A multiple that differs from this value by rounding alone is the present one.
        return next - self < step / 1_000 ? next + step : next
    }
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

    /// Waits until an instant that is exactly the same for all callers: instants that differ are timers of their own.
    package func sleep(untilNext seconds: Double) async throws {
        let (instant, monotonic) = Self.origin
        let next = now.monotonic.nextMultiple(of: seconds)
        try await Task.sleep(until: instant + .seconds(next - monotonic), clock: .continuous)
    }

    /// One instant on both clocks.
    private static let origin = (ContinuousClock.now, SystemGatewayClock().now.monotonic)

    private func read(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
