import GatewayPipeline
import TelemetryModel
import Testing

@Suite struct DepthReportedStateTests {
    @Test("the device's own state counts where it is deeper, and is counted where it differs")
    func deeperWins() {
        var harness = SubmersionHarness()
        harness.measure(3, 0, says: .pastMaxDepth)
        #expect(harness.states == [.pastMaxDepth])
        #expect(harness.derivation.counters.disagreements == 1)
        harness.measure(3, 1, says: .submergedDeep)
        #expect(harness.states == [.pastMaxDepth, .submergedDeep])
        #expect(harness.derivation.counters.disagreements == 1)
    }

    @Test("a shallower one changes nothing", arguments: [DepthState.notSubmerged, .submergedShallow])
    func shallowerLoses(reported: DepthState) {
        var harness = SubmersionHarness()
        harness.measure(3, 0, says: reported)
        #expect(harness.states == [.submergedDeep])
        #expect(harness.derivation.counters.disagreements == 1)
    }

    @Test("no state is no disagreement", arguments: [DepthState?.none, .unknown])
    func nothingReported(reported: DepthState?) {
        var harness = SubmersionHarness()
        harness.measure(3, 0, says: reported)
        #expect(harness.derivation.counters.disagreements == 0)
    }

    @Test("hysteresis, and the seconds before the surface is accepted, are no disagreement")
    func memory() {
        var harness = SubmersionHarness()
        harness.measure(1.1, 0, says: .submergedDeep)
        harness.measure(0.9, 1, says: .submergedShallow)
        harness.measure(0.1, 2, says: .notSubmerged)
        #expect(harness.states == [.submergedDeep, .submergedShallow])
        #expect(harness.derivation.counters.disagreements == 0)
    }

    @Test("a submerged state of the device at a depth that does not show it")
    func shallowFloor() {
        var harness = SubmersionHarness()
        for second in 0..<6 { harness.measure(0.1, Double(second), says: .submergedShallow) }
        #expect(harness.states == [.submergedShallow])
    }

    @Test("a withheld depth with the device's own error state is that state, and extends it")
    func withheld() {
        var harness = SubmersionHarness(maximumDepth: 6)
        harness.measure(6.5, 0, says: .pastMaxDepth)
        for second in 1...20 { harness.measure(nil, Double(second), says: .sensorDepthError) }
        #expect(harness.states == [.pastMaxDepth, .sensorDepthError])
        #expect(harness.changes.last?.depth == nil)
        #expect(harness.derivation.due(settings: harness.settings) == DeviceTime(25))
        harness.measure(0.1, 20.3)
        #expect(harness.last?.quality == .fault)
        #expect(harness.derivation.state == .sensorDepthError)
    }

    @Test(
        "a measurement without a depth, and no deeper than ours, neither changes nor prolongs the state",
        arguments: [DepthState?.none, .unknown, .notSubmerged, .submergedShallow, .submergedDeep])
    func depthless(reported: DepthState?) {
        var harness = SubmersionHarness()
        harness.measure(36, 0)
        for second in 1...4 { harness.measure(nil, Double(second), says: reported) }
        #expect(harness.states == [.approachingMaxDepth])
        harness.measure(nil, 5, says: reported)
        #expect(harness.states == [.approachingMaxDepth, .unknown])
        #expect(harness.last?.time == DeviceTime(5))
    }
}
