import GatewayPipeline
import TelemetryModel
import Testing

@Suite struct DepthEventTests {
    @Test("entering the water is shallow until a depth comes, and unknown if none does")
    func entering() {
        var harness = SubmersionHarness()
        harness.event(.submerged, 10)
        #expect(harness.states == [.submergedShallow])
        #expect(harness.changes.first?.cause == .event)
        #expect(harness.last?.validUntil == DeviceTime(15))
        harness.wait(until: 15)
        #expect(harness.states == [.submergedShallow, .unknown])
        #expect(harness.derivation.isSubmerged)
    }

    @Test("leaving the water is published at once, and silence after it is normal")
    func leaving() {
        var harness = SubmersionHarness()
        harness.measure([2, 0.6], from: 0)
        harness.event(.notSubmerged, 1.5)
        harness.wait(until: 10_000)
        #expect(harness.states == [.submergedDeep, .submergedShallow, .notSubmerged])
        #expect(harness.last?.time == DeviceTime(1.5))
        #expect(harness.last?.validUntil == nil)
    }

    @Test("out of the water is not accepted of a diver just measured at 5 m")
    func contradiction() {
        var harness = SubmersionHarness()
        harness.measure(5, 0)
        harness.event(.notSubmerged, 0.3)
        #expect(harness.states == [.submergedDeep, .submergedDeep])
        #expect(harness.qualities == [.valid, .fault])
        #expect(harness.derivation.counters.faults == 1)
        harness.measure([5, 5], from: 0.6, every: 0.3)
        #expect(harness.qualities == [.valid, .fault, .valid])
        #expect(harness.derivation.state == .submergedDeep)
    }

    @Test("an event that is delivered after a later depth does not take the device out of the water")
    func delayed() {
        var harness = SubmersionHarness()
        harness.measure(0.5, 100)
        harness.event(.notSubmerged, 90)
        #expect(harness.states == [.submergedShallow, .submergedShallow])
        #expect(harness.qualities == [.valid, .fault])
        harness.wait(until: 105)
        #expect(harness.derivation.state == .unknown)
    }

    @Test("a depth of 0.2 m is in the water, whatever the event was")
    func depthAfterEvent() {
        var harness = SubmersionHarness()
        harness.event(.notSubmerged, 0)
        harness.measure(0.19, 1)
        #expect(harness.states == [.notSubmerged])
        harness.measure(0.2, 2)
        #expect(harness.states == [.notSubmerged, .submergedShallow])
        harness.measure([0.1, 0.1, 0.1], from: 3)
        #expect(harness.states.last == .notSubmerged)
    }

    @Test("as long as the last event is submerged, small depths do not change that")
    func eventHolds() {
        var harness = SubmersionHarness()
        harness.event(.submerged, 0)
        harness.measure(Array(repeating: 0.05, count: 20), from: 1)
        #expect(harness.states == [.submergedShallow])
        harness.event(.notSubmerged, 30)
        #expect(harness.states.last == .notSubmerged)
    }

    @Test("an unknown event revokes the surface and changes nothing else")
    func unknownEvent() {
        var harness = SubmersionHarness()
        harness.event(.unknown, 0)
        #expect(harness.events.isEmpty)
        harness.event(.notSubmerged, 1)
        harness.event(.unknown, 2)
        #expect(harness.states == [.notSubmerged, .unknown])
        #expect(harness.last?.quality == .stale)
        harness.measure(3, 3)
        harness.event(.unknown, 4)
        #expect(harness.states == [.notSubmerged, .unknown, .submergedDeep])
    }

    @Test("at the same instant the event goes first")
    func sameInstant() {
        var harness = SubmersionHarness()
        let time = DeviceTime(1)
        harness.feed(
            events: [SubmersionEvent(time: time, state: .submerged)],
            measurements: [SubmersionMeasurement(time: time, depth: 0.3), .init(time: DeviceTime(0.5), depth: 0.1)])
        #expect(harness.changes.map(\.cause) == [.event])
    }
}
