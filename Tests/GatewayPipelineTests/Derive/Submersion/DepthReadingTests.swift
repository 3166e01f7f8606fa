import GatewayPipeline
import TelemetryModel
import Testing

@Suite struct DepthReadingTests {
    private func reading(
        _ depth: Double?, pressure: Double? = nil, surface: Double? = nil, water: SubmersionSettings.Water = .sea
    ) -> DepthReading {
        var settings = SubmersionSettings(maximumDepth: 40)
        settings.water = water
        let measurement = SubmersionMeasurement(
            time: DeviceTime(0), depth: depth, pressure: pressure, surfacePressure: surface)
        return DepthReading(measurement, settings: settings)
    }

    @Test(
        "a depth is taken as it is; just above the surface it is 0",
        arguments: [(3.2, 3.2), (0, 0), (-0.0, 0), (-0.4, 0), (-1, 0), (1e308, 1e308)])
    func depth(given: Double, expected: Double) {
        #expect(reading(given) == .depth(expected))
        #expect(reading(-0.0) == .depth(0))
        if case .depth(let depth) = reading(given) { #expect(depth.sign == .plus) }
    }

    @Test(
        "what is not finite, or more than 1 m above the surface, is no depth",
        arguments: [Double.nan, .signalingNaN, .infinity, -.infinity, -1.0001, -1e308])
    func impossible(given: Double) {
        #expect(reading(given) == .impossible)
        #expect(reading(given, pressure: 200, surface: 101) == .impossible)
    }

    @Test("a missing depth is computed from the pressures, by the density of the water")
    func hydrostatic() {
        guard case .depth(let sea) = reading(nil, pressure: 201.325, surface: 101.325) else {
            Issue.record("no depth")
            return
        }
        #expect(abs(sea - 9.9484) < 0.001)
        guard case .depth(let fresh) = reading(nil, pressure: 201.325, surface: 101.325, water: .fresh) else {
            Issue.record("no depth")
            return
        }
        #expect(abs(fresh - 10.1972) < 0.001)
    }

    @Test("without a depth and both pressures there is no reading")
    func absent() {
        #expect(reading(nil) == .absent)
        #expect(reading(nil, pressure: 201.3) == .absent)
        #expect(reading(nil, surface: 101.3) == .absent)
        #expect(reading(nil, surface: .nan) == .absent)
    }

    @Test(
        "implausible pressures give no depth",
        arguments: [
            (Double.nan, 101.3), (.infinity, 101.3), (1e308, 101.3), (201.3, .nan), (201.3, 200), (201.3, 0), (0, 101.3),
        ])
    func impossiblePressure(pressure: Double, surface: Double) {
        #expect(reading(nil, pressure: pressure, surface: surface) == .impossible)
    }
}
