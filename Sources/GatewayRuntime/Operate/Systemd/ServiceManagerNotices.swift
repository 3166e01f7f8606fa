import GatewayPipeline
import ServiceLifecycle

/// Notifies the service manager when the gateway reads, that it is alive, and that it stops.
struct ServiceManagerNotices: Service {
    /// The interval at which the state is looked at, in seconds.
    private static let checkSeconds = 1.0
    let manager: ServiceManager
    let monitor: Monitor
    let reading: Gate
    let clock: any GatewayClock

    /// Notifies until the gateway stops. It stops first, so that the manager is notified at once.
    func run() async throws {
        await cancelWhenGracefulShutdown { await notify() }
        manager.notify("STOPPING=1\nSTATUS=stopping")
    }

    private func notify() async {
        var isReady = false
        var reported = ""
        // Twice as often as needed: a beat that is late by half of the time still comes in time.
        let beatSeconds = manager.watchdogSeconds.map { $0 / 2 }
        var beatDue = -Double.infinity
        while !Task.isCancelled {
            if !isReady, reading.verdict == true {
                isReady = true
                manager.notify("READY=1")
            }
            let lanes = monitor.connectedLanes()
            let text = lanes.all == 0 ? "waiting for the broker" : "\(lanes.connected) of \(lanes.all) lanes connected"
            if text != reported { manager.notify("STATUS=\(text)") }
            reported = text
            if let beatSeconds, clock.now.monotonic >= beatDue {
                if await monitor.health().isEmpty { manager.notify("WATCHDOG=1") }
                beatDue = clock.now.monotonic + beatSeconds
            }
            let pause = min(Self.checkSeconds, beatSeconds ?? .infinity)
            do { try await clock.sleep(untilNext: pause) } catch { return }
        }
    }
}
