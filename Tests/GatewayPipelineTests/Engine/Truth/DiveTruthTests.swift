import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

/// Dives of recorded and computed profiles. `make truth` prints the figures.
@Suite("Truth: dives")
struct DiveTruthTests {
    /// The dives, with what ends them by default.
    private func dives(_ measurements: [SubmersionMeasurement]) -> Int {
        var harness = SubmersionHarness(maximumDepth: 40) { $0.staleSeconds = 30 }
        harness.feed(measurements: measurements)
        if let end = measurements.last?.time { harness.wait(until: end.seconds + 1_000) }
        return harness.dives.count
    }

    @Test("recorded", .recorded)
    func recorded() throws {
        for (name, truth, least) in [
            ("garmin_apnea_26dives_17m", 26, 24), ("seabear_h3_apnea_70m_1hz", 1, 1), ("garmin_ccr_62m_1hz", 1, 1),
            ("suunto_ocean_air_profile", 1, 1),
        ] {
            let measurements = try RecordedDives.measurements(of: name).filter { $0.depth != nil }
            let seconds = (measurements.last?.time ?? DeviceTime(0)) - (measurements.first?.time ?? DeviceTime(0))
            let found = dives(measurements)
            Truth.row(
                "dive", data: name, people: 1, hours: seconds / 3_600, "dives found, of \(truth) descents", "\(found)",
                goal: "\(least)-\(truth)")
            #expect((least...truth).contains(found), "\(name)")
        }
    }

    @Test("computed surface intervals")
    func intervals() {
        for (kind, rate, bottom, intervals, expected) in [
            ("scuba dive of 2 x 20 min", 0.15, 1_000, [14, 60, 144, 240], 1),
            ("free dives, 6 of 1 min", 0.8, 20, [30, 60, 120, 180], 6),
        ] {
            for interval in intervals {
                let legs = expected == 1 ? 2 : expected
                var depths: [Double] = []
                for _ in 0..<legs {
                    let way = stride(from: 0.0, to: 12, by: rate)
                    depths += Array(way) + Array(repeating: 12, count: bottom) + Array(way).reversed()
                    depths += Array(repeating: 0, count: interval)
                }
                let found = dives(depths.indices.map { .init(time: DeviceTime(Double($0)), depth: depths[$0]) })
                Truth.row(
                    "dive", data: "computed: \(kind), \(interval) s at the surface", "dives found", "\(found)",
                    goal: "\(expected)")
                #expect(found == expected)
            }
        }
    }
}
