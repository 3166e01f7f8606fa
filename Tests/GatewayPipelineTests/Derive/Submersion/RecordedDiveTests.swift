import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Recorded dives", .recorded)
struct RecordedDiveTests {
    struct Recording: Sendable, CustomTestStringConvertible {
        var name: String
        var past1, past6, past40, dives: Int
        var testDescription: String { name }
    }

    /// Descents as counted by hand with 0.2 m of hysteresis. Two descents of the 26 follow surfacings that are too short,
    /// or not above 0.2 m, to end a dive.
    private static let recordings = [
        Recording(name: "garmin_apnea_26dives_17m", past1: 26, past6: 23, past40: 0, dives: 24),
        Recording(name: "garmin_ccr_62m_1hz", past1: 1, past6: 3, past40: 1, dives: 1),
        Recording(name: "seabear_h3_apnea_70m_1hz", past1: 1, past6: 1, past40: 1, dives: 1),
        Recording(name: "suunto_ocean_air_profile", past1: 1, past6: 1, past40: 0, dives: 1),
    ]

    /// Smart recording leaves out up to 24 s.
    private func run(_ measurements: [SubmersionMeasurement], maximumDepth: Double) -> SubmersionHarness {
        var harness = SubmersionHarness(maximumDepth: maximumDepth) {
            $0.staleSeconds = 30
            $0.diving = .freediving
        }
        harness.feed(measurements: measurements)
        if let end = measurements.last?.time { harness.wait(until: end.seconds + 29) }
        return harness
    }

    private func depths(of recording: Recording) throws -> [SubmersionMeasurement] {
        try RecordedDives.measurements(of: recording.name).filter { $0.depth != nil }
    }

    @Test("with the full entitlement every descent past 1 m and 40 m is an entry", arguments: recordings)
    func full(recording: Recording) throws {
        let harness = run(try depths(of: recording), maximumDepth: 40)
        #expect(harness.entries(into: .submergedDeep) == recording.past1)
        #expect(harness.entries(into: .pastMaxDepth) == recording.past40)
        #expect(harness.dives.count == recording.dives)
        #expect(harness.qualities.allSatisfy { $0 == .valid })
        #expect(harness.derivation.counters == SubmersionCounters())
    }

    @Test("with the shallow entitlement so is one past 6 m, and no depth over 6.6 m is published", arguments: recordings)
    func shallow(recording: Recording) throws {
        let harness = run(try depths(of: recording), maximumDepth: 6)
        #expect(harness.entries(into: .submergedDeep) == recording.past1)
        #expect(harness.entries(into: .pastMaxDepth) == recording.past6)
        #expect(harness.changes.allSatisfy { $0.state == .sensorDepthError ? $0.depth == nil : $0.depth ?? 7 <= 6.6 })
        #expect(harness.dives.allSatisfy { $0.deepest ?? 0 <= 6.6 })
        #expect(harness.dives.count == recording.dives)
    }

    /// The pressures, one a second, show what the depths, one in ten seconds, do not: at the safety stop the diver rose
    /// to 5.5 m and sank to 6.01 m again.
    @Test("depths from pressure follow the depths beside them, and show one more descent past 6 m")
    func pressure() throws {
        let measurements = try RecordedDives.measurements(of: "suunto_ocean_air_profile")
        #expect(measurements.filter { $0.depth == nil && $0.pressure != nil }.count > 3000)
        let full = run(measurements, maximumDepth: 40)
        #expect(full.entries(into: .submergedDeep) == 1)
        #expect(full.entries(into: .pastMaxDepth) == 0)
        #expect(full.derivation.counters.faults == 0)
        #expect(run(measurements, maximumDepth: 6).entries(into: .pastMaxDepth) == 2)
    }

    @Test("with the silence of live data the gaps of a recording are unknown, and no entry is counted twice")
    func liveSilence() throws {
        var harness = SubmersionHarness(maximumDepth: 40)
        harness.feed(measurements: try RecordedDives.measurements(of: "garmin_ccr_62m_1hz"))
        #expect(harness.entries(into: .submergedDeep) == 1)
        #expect(harness.entries(into: .pastMaxDepth) == 1)
    }
}
