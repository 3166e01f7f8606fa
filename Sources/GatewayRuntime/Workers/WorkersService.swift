import GatewayPipeline
import Logging
import ServiceLifecycle

/// Lets timers fire on their own, and on a clean stop processes what still waits.
struct WorkersService: Service {
    /// How late a timer may fire.
    private static let tickSeconds = 0.1

    let workers: Workers
    let clock: any GatewayClock
    let logger: Logger

    /// Ticks until the gateway stops; ingress has stopped by then, for services stop in the reverse order of their start.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await workers.run(.tick, at: clock.now)
                do { try await clock.sleep(seconds: Self.tickSeconds) } catch { return }
            }
        }
        await workers.run(.drain, at: clock.now)
        await workers.run(.end, at: clock.now)
        logger.debug("held frames released")
    }
}
