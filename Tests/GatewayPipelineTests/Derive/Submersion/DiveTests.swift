@testable import GatewayPipeline
import TelemetryModel
import Testing

@Suite struct DiveTests {
    /// 0 m at 0 s, 10 m at 10 s, 10 s of bottom time, back at 30 s; 1 m/s both ways.
    private static let profile =
        (0...10).map(Double.init) + Array(repeating: 10, count: 9) + (0...10).reversed().map(Double.init)

    @Test("a free dive lasts from crossing to crossing and is published five seconds after the last")
    func dive() throws {
        var harness = SubmersionHarness()
        harness.measure(Self.profile, from: 0)
        harness.measure([0, 0, 0, 0, 0], from: 31)
        let dive = try #require(harness.dives.first)
        let event = try #require(harness.events.last)
        #expect(abs(dive.start.seconds - 0.2) < 1e-9)
        #expect(abs(dive.end.seconds - 29.8) < 1e-9)
        #expect(abs(event.time.seconds - 34.8) < 1e-9)
        #expect(event.span == dive.start...dive.end)
        #expect(event.frames == .ofSpan)
        #expect(dive.deepest == 10)
        #expect(abs(dive.ascentRate - 1) < 1e-9)
        #expect(dive.surfaceInterval == nil)
        #expect(dive.minimumTemperature == nil)
        let average = try #require(dive.averageDepth)
        #expect(abs(average * dive.duration - 199.96) < 1e-9)
    }

    @Test("the event ends a free dive at once")
    func event() throws {
        var harness = SubmersionHarness { $0.diving = .freediving }
        harness.measure([0.5, 1.5, 1.5, 0.5], from: 0)
        harness.event(.notSubmerged, 3.5)
        let dive = try #require(harness.dives.first)
        #expect(harness.events.last?.time == DeviceTime(3.5))
        #expect(dive.start == DeviceTime(0))
        #expect(dive.end == DeviceTime(3.5))
    }

    @Test("a surfacing under five seconds belongs to the free dive, a longer one ends it")
    func surfacing() throws {
        var harness = SubmersionHarness()
        harness.measure([0, 2, 2, 0, 0, 0, 2, 2, 0, 0, 0, 0, 0, 0], from: 0)
        #expect(harness.dives.count == 1)
        harness.measure([0, 2, 0, 0, 0, 0, 0, 0], from: 60)
        try #require(harness.dives.count == 2)
        let interval = harness.dives[1].start - harness.dives[0].end
        #expect(harness.dives[1].surfaceInterval == interval)
        #expect(interval > 50)
    }

    @Test("a stay that never reaches 1 m is no dive, and the bobbing before a dive is not part of it")
    func snorkelling() throws {
        var harness = SubmersionHarness()
        harness.measure([0, 0.9, 0, 0.9, 0, 0.9, 0, 2, 0, 0, 0, 0, 0, 0], from: 0)
        let dive = try #require(harness.dives.first)
        #expect(harness.dives.count == 1)
        #expect(abs(dive.start.seconds - 6.1) < 1e-9)
    }

    @Test("silence under water does not end a dive; the surface measured after it does")
    func silence() throws {
        var harness = SubmersionHarness { $0.diving = .freediving }
        harness.measure([0, 2, 4], from: 0)
        harness.wait(until: 600)
        #expect(harness.dives.isEmpty)
        harness.measure(0, 601)
        harness.wait(until: 606)
        #expect(harness.dives.first?.end == DeviceTime(601))
    }

    @Test("silence at the surface is not interpolated into the dive")
    func surfaceGap() {
        var harness = SubmersionHarness { $0.diving = .freediving }
        harness.event(.notSubmerged, 0)
        harness.measure(1.5, 600)
        harness.measure([0, 0, 0, 0, 0, 0, 0], from: 601)
        #expect(harness.dives.first?.start == DeviceTime(600))
    }

    @Test("once depth was withheld, by device or gateway, neither deepest nor average are published")
    func withheld() throws {
        var ours = SubmersionHarness(maximumDepth: 6)
        ours.measure([0, 3, 6, 7, 7, 4, 1, 0, 0, 0, 0, 0, 0], from: 0)
        var theirs = SubmersionHarness(maximumDepth: 6)
        theirs.measure([0, 3, 6], from: 0)
        theirs.measure(nil, 3, says: .sensorDepthError)
        theirs.measure(nil, 4, says: .sensorDepthError)
        theirs.measure([4, 1, 0, 0, 0, 0, 0, 0], from: 5)
        for harness in [ours, theirs] {
            let dive = try #require(harness.dives.first)
            #expect(dive.deepest == nil)
            #expect(dive.averageDepth == nil)
        }
        #expect(ours.dives == theirs.dives)
    }

    @Test("the lowest temperature of the water is published, not that of the air after it")
    func temperature() {
        var harness = SubmersionHarness { $0.diving = .freediving }
        harness.temperature(3, 1, 0)
        harness.measure([1.5, 1.5], from: 1)
        harness.temperature(18, 1, 2.1)
        harness.temperature(17, 1, 2.2)
        harness.temperature(19, 1, 2.3)
        harness.measure(0, 3)
        harness.temperature(5, 1, 3.5)
        harness.wait(until: 20)
        #expect(harness.dives.first?.minimumTemperature == 17)
    }

    @Test("a depth that is not accepted is not part of a dive")
    func fault() {
        var harness = SubmersionHarness()
        harness.measure([0, 2, 2, 39, 2, 2, 2, 0, 0, 0, 0, 0, 0], from: 0)
        #expect(harness.dives.first?.deepest == 2)
        var surface = SubmersionHarness()
        surface.measure([0, 0, 1e308, 0, 0, 0, 0, 0, 0, 0, 0], from: 0)
        #expect(surface.dives.isEmpty)
    }

    @Test("a device that has surfaced is not expendable before its dive is published")
    func surfacedDevice() {
        var harness = SubmersionHarness { $0.diving = .freediving }
        harness.measure([0, 2, 3, 2, 0, 0, 0], from: 0)
        #expect(harness.derivation.state == .notSubmerged && !harness.derivation.isExpendable)
        harness.wait(until: 20)
        #expect(harness.dives.count == 1 && harness.derivation.isExpendable)
    }

    @Test("loss of access discards the open dive, and publishes one that is over")
    func access() {
        var harness = SubmersionHarness()
        harness.measure([0, 2, 2], from: 0)
        harness.interrupt(.access, 2.5)
        harness.measure([0, 0, 0, 0, 0, 0, 0, 0], from: 3)
        #expect(harness.dives.isEmpty)
        var held = SubmersionHarness { $0.diving = .scuba }
        held.measure([0, 2, 2, 0, 0, 0, 0, 0, 0, 0], from: 0)
        held.interrupt(.access, 60)
        #expect(held.dives.count == 1)
        held.wait(until: 1_000)
        #expect(held.dives.count == 1)
    }

    @Test(
        "the ascent rate is the greatest over three seconds, however often depth is measured",
        arguments: [0.05, 0.5, 1, 4])
    func ascent(interval: Double) {
        var window = AscentWindow()
        for time in stride(from: 0.0, through: 24, by: interval) {
            let depth = time < 8 ? 20 : max(20 - 1.5 * (time - 8), 2)
            window.add(DepthPoint(time: DeviceTime(time), depth: depth), over: 3)
        }
        #expect(abs(window.greatest - 1.5) < 1e-9)
    }
}
