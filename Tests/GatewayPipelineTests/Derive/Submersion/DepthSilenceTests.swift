import GatewayPipeline
import TelemetryModel
import Testing

@Suite struct DepthSilenceTests {
    @Test("silence under water is unknown at the instant it was due, and a depth restores the state")
    func silence() {
        var harness = SubmersionHarness()
        harness.measure(3, 10)
        #expect(harness.derivation.due(settings: harness.settings) == DeviceTime(15))
        harness.wait(until: 14.999)
        #expect(harness.states == [.submergedDeep])
        harness.wait(until: 60)
        #expect(harness.states == [.submergedDeep, .unknown])
        #expect(harness.last?.time == DeviceTime(15))
        #expect(harness.last?.quality == .stale)
        #expect(harness.changes.last?.cause == .silence)
        #expect(harness.derivation.due(settings: harness.settings) == nil)
        harness.measure(3, 61)
        #expect(harness.changes.last?.previous == .unknown)
        #expect(harness.changes.last?.cause == .sample)
        #expect(harness.entries(into: .submergedDeep) == 1)
    }

    @Test("the hysteresis continues from the state before silence")
    func memory() {
        var harness = SubmersionHarness()
        harness.measure(1.1, 0)
        harness.measure(0.9, 20)
        #expect(harness.states == [.submergedDeep, .unknown, .submergedDeep])
    }

    @Test("an event after silence gives in the water, without a depth")
    func eventAfterSilence() {
        var harness = SubmersionHarness()
        harness.measure(30, 0)
        harness.event(.submerged, 20)
        #expect(harness.states == [.submergedDeep, .unknown])
    }

    @Test("a device's lag is waited for")
    func lag() {
        var harness = SubmersionHarness { $0.lagAllowanceSeconds = 10 }
        harness.measure(3, 0)
        harness.wait(until: 14.9)
        #expect(harness.states == [.submergedDeep])
        harness.wait(until: 15)
        #expect(harness.states == [.submergedDeep, .unknown])
    }

    @Test("a restart makes the state unknown, but not that of a device out of the water, or that never had one")
    func restart() {
        var fresh = SubmersionHarness()
        fresh.interrupt(.restart, 1)
        #expect(fresh.changes.isEmpty)
        fresh.measure(3, 3)
        #expect(fresh.entries(into: .submergedDeep) == 1)

        var diving = SubmersionHarness()
        diving.measure(3, 0)
        diving.interrupt(.restart, 1)
        #expect(diving.states == [.submergedDeep, .unknown])

        var dry = SubmersionHarness()
        dry.event(.notSubmerged, 0)
        dry.interrupt(.restart, 1)
        #expect(dry.states == [.notSubmerged])
    }

    @Test("loss of access makes any state unknown, and being out of the water must be reported again")
    func access() {
        var harness = SubmersionHarness()
        harness.event(.notSubmerged, 0)
        harness.interrupt(.access, 1)
        #expect(harness.states == [.notSubmerged, .unknown])
        #expect(harness.changes.last?.cause == .access)
        harness.measure([0.1, 0.1], from: 5)
        #expect(harness.states == [.notSubmerged, .unknown])
        harness.measure(0.1, 7)
        #expect(harness.states == [.notSubmerged, .unknown, .notSubmerged])
    }
}
