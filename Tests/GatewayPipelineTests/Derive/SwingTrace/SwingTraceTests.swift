@testable import FleetSimulator
@testable import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Traces of swings")
struct SwingTraceTests {
    private func messages(enabled: Bool) -> [DerivedJSON] {
        let swings = [
            FleetSimulator.Swing(start: 3, timeToContact: 0.24, peakRotationRate: 17, impactAcceleration: 28),
            FleetSimulator.Swing(start: 7, timeToContact: 0.2, peakRotationRate: 18),
        ]
        let origin = DeviceOrigin(device: "batter", unix: 1_763_749_000, uptime: 5321.25, seed: 1, duration: 12)
        let batter = Batter(origin, options: BatterOptions(swings: .listed(swings), firstBatchEdge: 1))
        return PipelineHarness.run(batter, settings: .with { $0.derive.setEnabled(SwingTraceDerivation.self, enabled) })
    }

    @Test("are off unless they are wanted")
    func off() {
        let messages = messages(enabled: false)
        #expect(messages.contains { $0.kind == "swing" })
        #expect(!messages.contains { $0.kind == "trace/swing" })
    }

    @Test("show each swing with the time around it, and the impact at its place")
    func traces() throws {
        let messages = messages(enabled: true)
        let swings = messages.filter { $0.kind == "swing" }
        let traces = messages.filter { $0.kind == "trace/swing" }
        #expect(!swings.isEmpty && traces.compactMap { $0.number("swingAt") } == swings.compactMap { $0.number("at") })
        for (trace, swing) in zip(traces, swings) {
            let signal = try #require(trace.fields["acceleration"] as? [String: Any])
            let values = try #require(signal["values"] as? [Any]).map { $0 as? Int }
            #expect(signal["interval"] as? Double == 0.00125)
            #expect(abs((trace.number("startAt") ?? 0) - (trace.number("from") ?? 0) - 0.5) < 1e-5)
            guard let impact = swing.number("impactAt"), let peak = swing.number("peakAcceleration") else { continue }
            let place = Int(((impact - (trace.number("from") ?? 0)) / 0.00125).rounded())
            #expect(abs(Double((values[place] ?? 0)) * 0.01 - peak) < 0.02)
            #expect(values.count(where: { $0 == nil }) < values.count / 50)
        }
    }
}
