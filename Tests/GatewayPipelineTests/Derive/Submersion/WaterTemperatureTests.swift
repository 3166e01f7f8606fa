import GatewayPipeline
import TelemetryModel
import Testing

@Suite struct WaterTemperatureTests {
    @Test("the first temperature is published, then at most one a second")
    func rate() {
        var harness = SubmersionHarness()
        for index in 0..<10 { harness.temperature(20, 1, 5 + Double(index) / 4) }
        #expect(harness.events.map(\.time.seconds) == [5, 6, 7])
        #expect(harness.events.allSatisfy { $0.quality == .valid && $0.validUntil == nil })
    }

    @Test("it has converged at half a degree")
    func convergence() {
        var harness = SubmersionHarness()
        for (index, uncertainty) in [3, 0.51, 0.5, 0].enumerated() {
            harness.temperature(-1.5, uncertainty, Double(index))
        }
        #expect(harness.events.compactMap(\.waterTemperature?.converged) == [false, false, true, true])
        #expect(harness.events.first?.waterTemperature?.temperature == -1.5)
    }

    @Test(
        "a temperature that is not a number is ignored",
        arguments: [(Double.nan, 1.0), (.infinity, 1), (20, .nan), (20, .infinity), (20, -0.1)])
    func nonsense(temperature: Double, uncertainty: Double) {
        var harness = SubmersionHarness()
        harness.temperature(temperature, uncertainty, 1)
        #expect(harness.events.isEmpty)
    }

    @Test("one time from the future does not stop the temperatures")
    func clockStepsBack() {
        var harness = SubmersionHarness()
        harness.temperature(20, 1, 1e6)
        harness.temperature(20, 1, 5)
        #expect(harness.events.count == 2)
    }
}
