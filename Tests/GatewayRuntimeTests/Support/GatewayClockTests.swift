import GatewayPipeline
import Testing

@testable import GatewayRuntime

@Suite("The gateway's clock")
struct GatewayClockTests {
    @Test(
        "what is repeated waits for multiples of its interval, and never for none",
        arguments: [
            (0.0, 0.5, 0.5), (0.2, 0.5, 0.5), (0.5, 0.5, 1.0), (7.3, 1.0, 8.0), (1e6 + 0.75, 0.5, 1e6 + 1), (0.4999999, 0.5, 1.0),
            (0.3, 0.1, 0.4),
        ])
    func multiples(now: Double, interval: Double, next: Double) {
        #expect(abs(now.nextMultiple(of: interval) - next) < 1e-9)
    }

    @Test("the system's clock waits until the multiple")
    func system() async throws {
        let clock = SystemGatewayClock()
        let next = clock.now.monotonic.nextMultiple(of: 0.01)
        try await clock.sleep(untilNext: 0.01)
        #expect(clock.now.monotonic >= next)
    }
}
