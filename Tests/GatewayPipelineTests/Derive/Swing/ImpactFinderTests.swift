import SignalProcessing
import TelemetryModel
import Testing

@testable import GatewayPipeline

@Suite("The impact finder")
struct ImpactFinderTests {
    private func impacts(
        _ samples: [(time: Double, value: Double)], settings: SwingSettings = SwingSettings()
    ) -> [Double] {
        var finder = ImpactFinder()
        let tuning = ImpactTuning(settings)
        var found = samples.compactMap { finder.step(time: $0.time, 0, 0, $0.value, tuning)?.time }
        if let last = finder.flush() { found.append(last.time) }
        return found
    }

    private func steady(_ value: Double, from start: Double, count: Int) -> [(time: Double, value: Double)] {
        (0..<count).map { (start + Double($0) / 800, value) }
    }

    @Test("detects a step in the samples as an impact, but not one across a gap", arguments: [0.012, 0.06, 3])
    func gaps(length: Double) {
        for axis in ImpactAxis.allCases where axis == .magnitude || axis == .z {
            let settings = SwingSettings.with { $0.impactAxis = axis }
            let before = steady(1, from: 0, count: 800)
            #expect(impacts(before + steady(15, from: 1 + length, count: 800), settings: settings).isEmpty)
            #expect(impacts(before + steady(15, from: 1, count: 800), settings: settings) == [1])
        }
    }

    @Test("does not detect the centripetal acceleration of the swing")
    func pull() {
        let swing = steady(0, from: 0, count: 800).map { (time: $0.time, value: 1 + 20 * ($0.time * (1 - $0.time)) * 4) }
        #expect(impacts(swing).isEmpty)
    }

    @Test("detects again after an implausible sample", arguments: [1e9, 1e155, 1e300, -1.7e308])
    func absurd(value: Double) {
        var samples = steady(1, from: 0, count: 1600)
        samples[400].value = value
        samples[1000].value = 20
        #expect(impacts(samples) == [0.5, 1.25])
    }
}
