import GatewayPipeline
import TelemetryModel
import Testing

@Suite struct DepthStateTests {
    @Test("a dive passes the states, and each change is published once")
    func walk() {
        var harness = SubmersionHarness(maximumDepth: 6)
        harness.measure([0.5, 0.5, 1, 3, 5.3, 6.1, 6.7, 6.7, 4, 1.5, 0.5, 0.1, 0.1, 0.1], from: 100)
        #expect(
            harness.states == [
                .submergedShallow, .submergedDeep, .approachingMaxDepth, .pastMaxDepth, .sensorDepthError, .submergedDeep,
                .submergedShallow, .notSubmerged,
            ])
        #expect(harness.changes.map(\.previous) == [.unknown] + harness.states.dropLast())
        #expect(harness.changes.allSatisfy { $0.cause == .sample && $0.maximumDepth == 6 })
        #expect(harness.qualities.allSatisfy { $0 == .valid })
        #expect(harness.changes.map(\.depth) == [0.5, 1, 5.3, 6.1, nil, 4, 0.5, 0.1])
    }

    @Test("a depth that varies about a threshold does not change the state repeatedly, except without hysteresis")
    func bobbing() {
        let depths = (0..<20).map { 1 + ($0.isMultiple(of: 2) ? 0.05 : -0.05) }
        var harness = SubmersionHarness()
        harness.measure(depths, from: 0)
        #expect(harness.states == [.submergedDeep])
        var bare = SubmersionHarness { $0.hysteresisMeters = 0 }
        bare.measure(depths, from: 0)
        #expect(bare.states.count == 20)
    }

    @Test("a valid state under water lasts as long as data may be missing; out of the water it lasts")
    func validity() {
        var harness = SubmersionHarness()
        harness.measure([2, 0.1, 0.1, 0.1], from: 100)
        #expect(harness.events.first?.validUntil == DeviceTime(105))
        #expect(harness.last?.validUntil == nil)
        var relayed = SubmersionHarness { $0.lagAllowanceSeconds = 10 }
        relayed.measure(2, 100)
        #expect(relayed.last?.validUntil == DeviceTime(115))
    }

    @Test("a depth from pressure gives a state, and the surface pressure is published")
    func pressure() {
        var harness = SubmersionHarness()
        harness.feed(measurements: [
            SubmersionMeasurement(time: DeviceTime(1), pressure: 141.97, surfacePressure: 101.2524)
        ])
        #expect(harness.states == [.submergedDeep])
        #expect(harness.changes.first?.surfacePressure == 101.2524)
        #expect(harness.changes.first?.depth.map { abs($0 - 4.0507) < 0.001 } == true)
    }

    @Test("an impossible surface pressure is not published")
    func surfacePressure() {
        var harness = SubmersionHarness()
        harness.feed(measurements: [SubmersionMeasurement(time: DeviceTime(1), depth: 2, surfacePressure: .nan)])
        #expect(harness.changes.first?.surfacePressure == nil)
        #expect(harness.states == [.submergedDeep])
    }

    @Test("above the water the state is unknown until two seconds were measured")
    func firstSurface() {
        var harness = SubmersionHarness()
        harness.measure([0.1, 0.1], from: 0)
        #expect(harness.events.isEmpty)
        harness.measure(0.1, 2)
        #expect(harness.states == [.notSubmerged])
        #expect(!harness.derivation.isSubmerged)
    }

    @Test("a depth of 0.2 m on the way out starts the two seconds anew")
    func splash() {
        var harness = SubmersionHarness()
        harness.measure([0.5, 0.1, 0.2, 0.1, 0.1], from: 0)
        #expect(harness.states == [.submergedShallow])
        harness.measure(0.1, 5)
        #expect(harness.states == [.submergedShallow, .notSubmerged])
    }

    @Test("without an entitlement nothing is processed")
    func noEntitlement() {
        var harness = SubmersionHarness()
        harness.settings.maximumDepth = nil
        harness.measure(3, 1)
        harness.event(.submerged, 2)
        #expect(harness.events.isEmpty)
        #expect(harness.derivation == SubmersionDerivation())
    }

    @Test("times that cannot be calculated with are left out", arguments: [Double.nan, .infinity, 1e300, -1e300])
    func unusableTime(seconds: Double) {
        var harness = SubmersionHarness()
        harness.measure(3, 1)
        harness.measure(30, seconds)
        harness.event(.notSubmerged, seconds)
        #expect(harness.states == [.submergedDeep])
    }
}
