import GatewayPipeline
import GatewayTestSupport
import StateCoding
import TelemetryModel
import Testing

/// Dives that a surfacing interrupts, and what tells free dives from them.
@Suite("Scuba dives and free dives")
struct ScubaDiveTests {
    /// Depths in straight lines between points, a sample a second.
    private static func depths(_ points: [(seconds: Int, depth: Double)]) -> [Double] {
        zip(points, points.dropFirst()).flatMap { from, to in
            (from.seconds..<to.seconds).map { second in
                from.depth + (to.depth - from.depth) * Double(second - from.seconds) / Double(to.seconds - from.seconds)
            }
        }
    }

    /// Two stays of ten minutes at 12 m, 0.2 m/s down and up, with `interval` s above 0.2 m between them, then the surface.
    private static func scuba(interval: Int, rest: Int = 10) -> [Double] {
        let second = 720 + interval
        return depths([
            (0, 0), (60, 12), (660, 12), (720, 0), (second, 0), (second + 60, 12), (second + 660, 12), (second + 720, 0),
            (second + 720 + rest, 0),
        ])
    }

    /// Dives of a minute to 12 m and back at 0.8 m/s, with `interval` s at the surface after each.
    private static func free(_ count: Int, interval: Int) -> [Double] {
        (0..<count).flatMap { _ in depths([(0, 0), (15, 12), (45, 12), (60, 0), (60 + interval, 0)]) }
    }

    private func harness(
        _ depths: [Double], diving: SubmersionSettings.Diving = .automatic, until end: Double? = nil
    ) -> SubmersionHarness {
        var harness = SubmersionHarness { $0.diving = diving }
        harness.measure(depths, from: 0)
        if let end { harness.wait(until: end) }
        return harness
    }

    @Test("a surface interval under five minutes belongs to a scuba dive", arguments: [14, 60, 144, 290])
    func interval(seconds: Int) throws {
        let harness = harness(Self.scuba(interval: seconds), until: 5_000)
        let dive = try #require(harness.dives.first)
        #expect(harness.dives.count == 1)
        #expect(abs(dive.start.seconds - 1) < 1e-9)
        #expect(abs(dive.end.seconds - (Double(seconds) + 1_439)) < 1e-9)
        #expect(abs(dive.surfaceTime - Double(seconds) - 2) < 1e-9)
        // Of one stay: 600 s at 12 m and 2 x 59 s at 6.1 m.
        let average = (600 * 12 + 118 * 6.1) / 718
        #expect(abs((dive.averageDepth ?? 0) - average) < 1e-9)
        #expect(dive.deepest == 12 && abs(dive.ascentRate - 0.2) < 1e-9)
        let profile = try #require(dive.profile)
        #expect(profile.depth.compactMap(\.self).count { $0 == 12 } > 1_000 / Int(profile.interval))
        // It is of the instant when it ended, and published when nothing has continued it.
        let event = try #require(harness.events.last { $0.dive != nil })
        #expect(event.span == dive.start...dive.end)
        #expect(abs(event.time.seconds - dive.end.seconds - 5) < 1e-9)
    }

    @Test("so does one that events report")
    func events() throws {
        var harness = SubmersionHarness()
        harness.measure(Array(Self.scuba(interval: 60).prefix(720)), from: 0)
        harness.event(.notSubmerged, 720)
        harness.event(.submerged, 780)
        harness.measure(Array(Self.scuba(interval: 60).suffix(730)), from: 780)
        harness.event(.notSubmerged, 1_520)
        harness.wait(until: 1_700)
        #expect(harness.dives.isEmpty)
        harness.wait(until: 1_900)
        let dive = try #require(harness.dives.first)
        #expect(harness.dives.count == 1 && abs(dive.surfaceTime - 61) < 2 && abs(dive.end.seconds - 1_499) < 1)
    }

    @Test("five minutes at the surface end it")
    func longInterval() throws {
        let harness = harness(Self.scuba(interval: 330), until: 5_000)
        try #require(harness.dives.count == 2)
        #expect(abs((harness.dives[1].surfaceInterval ?? 0) - 332) < 1e-9)
        #expect(harness.dives.allSatisfy { $0.surfaceTime == 0 && abs($0.duration - 718) < 1e-9 })
    }

    @Test("free dives are dives by themselves", arguments: [30, 60, 180])
    func freeDiving(interval: Int) {
        let harness = harness(Self.free(6, interval: interval))
        #expect(harness.dives.count == 6)
        #expect(harness.dives.allSatisfy { abs($0.ascentRate - 0.8) < 1e-9 && $0.surfaceTime == 0 })
    }

    @Test("a shallow and slow dive between free dives is one of them, and before any a scuba dive")
    func undecided() {
        let slow = Self.depths([(0, 0), (10, 1.5), (40, 1.5), (50, 0), (90, 0)])
        #expect(harness(Self.free(2, interval: 40) + slow + Self.free(1, interval: 40)).dives.count == 4)
        let first = harness(slow + Self.free(2, interval: 40))
        #expect(first.dives.count == 3)
        #expect(first.dives.map(\.start) == first.dives.map(\.start).sorted())
        #expect(harness(slow + slow, until: 5_000).dives.count == 1)
    }

    @Test("a fast short stay at the end of a long dive belongs to it")
    func lastStay() {
        let depths = Self.scuba(interval: 60, rest: 30) + Self.free(1, interval: 10)
        #expect(harness(depths, until: 5_000).dives.count == 1)
    }

    @Test("the setting decides where it is given")
    func settings() {
        #expect(harness(Self.scuba(interval: 60), diving: .freediving).dives.count == 2)
        #expect(harness(Self.free(3, interval: 60), diving: .scuba, until: 5_000).dives.count == 1)
        let dive = harness(Self.free(3, interval: 60), diving: .scuba, until: 5_000).dives.first
        #expect(abs((dive?.surfaceTime ?? 0) - 121) < 1e-9)
    }

    @Test("bobbing at the surface is not part of the dive")
    func bobbing() throws {
        let bobbing = (0..<200).map { $0 % 10 < 2 ? 0.4 : 0 }
        let harness = harness(Self.scuba(interval: 20) + bobbing, until: 5_000)
        let dive = try #require(harness.dives.first)
        #expect(harness.dives.count == 1 && abs(dive.end.seconds - 1_459) < 1e-9)
    }

    @Test("what ends a dive changes no depth state", arguments: Array(UInt64(1)...20))
    func states(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let entries = SubmersionWalk.mixed(using: &random, count: 300)
        let changes = SubmersionSettings.Diving.allCases.map { diving in
            var harness = SubmersionHarness { $0.diving = diving }
            harness.feed(entries)
            return harness.events.filter { $0.dive == nil }
        }
        #expect(changes[0] == changes[1] && changes[0] == changes[2])
    }

    @Test("a dive that is held survives the gateway's end at any time")
    func killed() throws {
        let depths = Self.scuba(interval: 144, rest: 400)
        var kept = SubmersionHarness()
        var saved = kept
        for (second, depth) in depths.enumerated() {
            kept.measure(depth, Double(second))
            saved.measure(depth, Double(second))
            guard second.isMultiple(of: 37) || (700..<900).contains(second) else { continue }
            let data = try StateCoder.encode(saved.derivation)
            saved.derivation = try StateCoder.decode(SubmersionDerivation.self, from: data)
            #expect(data.count < 8_192)
        }
        #expect(saved.events == kept.events && kept.dives.count == 1)
    }

    @Test("a reboot publishes a dive that is held")
    func reboot() throws {
        var harness = harness(Self.scuba(interval: 60))
        #expect(harness.dives.isEmpty && !harness.derivation.isExpendable)
        harness.interrupt(.reboot, 2_000)
        #expect(harness.dives.count == 1)
    }

    @Test("a reboot within seconds of a stay that continues a dive publishes one dive")
    func rebootAfterStay() throws {
        var harness = SubmersionHarness { $0.diving = .scuba }
        harness.measure([0, 2, 4, 2, 0, 0, 0, 0, 0, 0, 0], from: 0)
        harness.measure([0, 2, 4, 2, 0], from: 60)
        harness.interrupt(.reboot, 65)
        let dive = try #require(harness.dives.first)
        #expect(harness.dives.count == 1)
        #expect(abs(dive.surfaceTime - 56.2) < 1e-6 && abs(dive.end.seconds - 63.9) < 1e-6)
    }

    @Test("its message names its frames, and a session that has ended by then counts it")
    func messages() throws {
        var device = TestDevice()
        var harness = PipelineHarness()
        let depths = Self.scuba(interval: 60)
        var frames = [device.workout("running", uptime: 100)]
        frames += depths.indices.map { device.depth(depths[$0], uptime: 101 + Double($0)) }
        let last = Double(101 + depths.count)
        frames.append(device.workout("ended", uptime: last))
        var messages = harness.send(frames)
        #expect(!messages.contains { $0.kind == "dive" })
        messages += harness.tick(at: device.offset + last + 400)
        let dive = try #require(messages.first { $0.kind == "dive" })
        #expect(abs((dive.number("at") ?? 0) - (dive.number("end") ?? 0) - 5) < 1e-3)
        let sequence = (dive.fields["source"] as? [String: Any])?["seq"] as? [Int]
        #expect(sequence?.first == 1 && (sequence?.last ?? 0) > depths.count - 12)
        let water = try #require(messages.last { $0.kind == "session/water" && $0.text("state") == "ended" })
        #expect(water.number("dives") == 1)
        let under = (dive.number("duration") ?? 0) - (dive.number("surfaceTime") ?? 0)
        #expect(abs((water.number("timeUnderWater") ?? 0) - under) < 1e-6)
    }

    @Test("its frames end with that of the surfacing, whether the next comes before its timer or after", arguments: [0, 1])
    func lateFrame(swapped: Int) throws {
        var device = TestDevice()
        var harness = PipelineHarness()
        var frames = [0, 3, 3, 0, 0].enumerated().map { device.depth($1, uptime: 101 + Double($0)) }
        frames.append(device.depth(0, uptime: 112))
        if swapped == 1 { frames.swapAt(4, 5) }
        let messages = harness.send(frames) + harness.tick(at: device.offset + 1_000)
        let dive = try #require(messages.first { $0.kind == "dive" })
        #expect((dive.fields["source"] as? [String: Any])?["seq"] as? [Int] == [1, 3])
    }
}
