package import GatewayPipeline
import GatewayRuntime
import Synchronization
import TelemetryModel

/// A clock that a test sets. A wait advances it and ends at once.
package final class ManualClock: GatewayClock {
    private let time: Mutex<GatewayTime>
    private let step: Double
    private let atWait: @Sendable (Double) -> Void

    /// A clock at `unix`, and at `monotonic` where that is another time. It moves on by `step` seconds whenever it is read, as a thread's work
    /// does. After each wait `atWait` is called with the monotonic time.
    package init(
        unix: Double = 0, monotonic: Double? = nil, step: Double = 0, atWait: @escaping @Sendable (Double) -> Void = { _ in }
    ) {
        time = Mutex(GatewayTime(unix: UnixTime(unix), monotonic: monotonic ?? unix))
        self.step = step
        self.atWait = atWait
    }

    package var now: GatewayTime { advance(by: step) }

    /// Sets both clocks to `unix`.
    package func set(to unix: Double) { time.withLock { $0 = GatewayTime(unix: UnixTime(unix), monotonic: unix) } }

    /// Moves both clocks on; returns the time that they have then.
    @discardableResult
    package func advance(by seconds: Double) -> GatewayTime {
        time.withLock { time in
            time = GatewayTime(unix: UnixTime(time.unix.seconds + seconds), monotonic: time.monotonic + seconds)
            return time
        }
    }

    package func sleep(seconds: Double) async throws { atWait(advance(by: seconds).monotonic) }
}
