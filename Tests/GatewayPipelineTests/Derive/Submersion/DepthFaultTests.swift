import GatewayPipeline
import TelemetryModel
import Testing

@Suite struct DepthFaultTests {
    @Test("what is no depth leaves the state, as a fault", arguments: [Double.nan, .infinity, -.infinity, -1.5])
    func impossible(depth: Double) {
        var harness = SubmersionHarness()
        harness.measure([36, 36], from: 0)
        harness.measure(depth, 2)
        #expect(harness.states == [.approachingMaxDepth, .approachingMaxDepth])
        #expect(harness.qualities == [.valid, .fault])
        #expect(harness.changes.last?.cause == .fault)
        #expect(harness.changes.last?.depth == nil)
        #expect(harness.derivation.counters.faults == 1)
    }

    @Test("an invalid first depth is unknown, as a fault")
    func impossibleFirst() {
        var harness = SubmersionHarness()
        harness.measure(.nan, 0)
        #expect(harness.states == [.unknown])
        #expect(harness.qualities == [.fault])
        harness.measure(3, 1)
        harness.measure(3, 2)
        #expect(harness.states == [.unknown, .submergedDeep, .submergedDeep])
        #expect(harness.qualities == [.fault, .fault, .valid])
    }

    @Test("an implausible depth is the deepest state, as a fault, and is not published", arguments: [1e308, 1e5, 11_001])
    func absurd(depth: Double) {
        for before in [[], [0.5], [3]] {
            var harness = SubmersionHarness(maximumDepth: 6)
            harness.measure(before, from: 0)
            harness.measure(depth, 1)
            #expect(harness.derivation.state == .sensorDepthError)
            #expect(harness.last?.quality == .fault)
            #expect(harness.changes.last?.depth == nil)
        }
    }

    @Test("too fast and deeper is the deeper state, as a fault, until it is confirmed")
    func fastDescent() {
        var harness = SubmersionHarness(maximumDepth: 6)
        harness.measure([0.5, 6.2, 6.2, 6.2], from: 0)
        #expect(harness.states == [.submergedShallow, .pastMaxDepth, .pastMaxDepth])
        #expect(harness.qualities == [.valid, .fault, .valid])
        #expect(harness.changes.map(\.depth) == [0.5, 6.2, 6.2])
        #expect(harness.changes.map(\.cause) == [.sample, .fault, .sample])
    }

    @Test("too fast and shallower keeps the state, as a fault, until the ascent is possible")
    func fastAscent() {
        var harness = SubmersionHarness()
        harness.measure([36] + Array(repeating: 0.0, count: 9), from: 0)
        #expect(harness.states == [.approachingMaxDepth, .approachingMaxDepth, .submergedShallow])
        #expect(harness.qualities == [.valid, .fault, .valid])
        #expect(harness.last?.time == DeviceTime(9))
        harness.measure([0, 0], from: 10)
        #expect(harness.states.last == .notSubmerged)
    }

    @Test("out of the water a fault does not last: without valid data the state is unknown")
    func faultAtSurface() {
        var harness = SubmersionHarness()
        harness.event(.notSubmerged, 0)
        harness.measure(.nan, 600)
        #expect(harness.last?.validUntil == DeviceTime(605))
        harness.wait(until: 700)
        #expect(harness.states == [.notSubmerged, .notSubmerged, .unknown])
        #expect(harness.qualities == [.valid, .fault, .stale])
        #expect(harness.last?.time == DeviceTime(605))
    }

    @Test("invalid data under water do not extend an old depth")
    func nonsenseIsSilence() {
        var harness = SubmersionHarness()
        harness.measure(30, 0)
        for second in 1...8 { harness.measure(.nan, Double(second)) }
        #expect(harness.states == [.submergedDeep, .submergedDeep, .unknown, .unknown])
        #expect(harness.qualities == [.valid, .fault, .stale, .fault])
    }

    @Test("a fault is kept over silence")
    func faultThenSilence() {
        var harness = SubmersionHarness()
        harness.measure([36, 1.5], from: 0)
        harness.wait(until: 7)
        #expect(harness.derivation.state == .unknown)
        harness.measure(1.5, 9)
        #expect(harness.derivation.state == .submergedDeep)
        #expect(harness.last?.quality == .valid)
        #expect(harness.changes.last?.previous == .unknown)
    }

    @Test("a sensor error is counted by its code and changes nothing")
    func sensorErrors() {
        var harness = SubmersionHarness()
        harness.measure(3, 0)
        let errors = [110, 110, 111, 7, .min].map { SubmersionError(time: DeviceTime(1), code: $0) }
        harness.feed(errors: errors)
        #expect(harness.states == [.submergedDeep])
        #expect(harness.derivation.counters.errors == [110: 2, 111: 1, 0: 2])
    }
}
