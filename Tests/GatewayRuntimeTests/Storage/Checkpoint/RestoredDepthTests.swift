import GatewayPipeline
import GatewayTestSupport
import LocalBroker
import TelemetryModel
import Testing

@testable import GatewayRuntime

/// A gateway is killed after it has published what it has not committed; the broker delivers those frames again.
@Suite("The depth of a device after a kill")
struct RestoredDepthTests {
    private let (folder, directory): (TemporaryDirectory, StateDirectory)
    private var device = TestDevice("d1", offset: 1_000)

    init() throws { (folder, directory) = try StateDirectory.temporary() }

    private static var settings: PipelineSettings { .with { $0.intake.redeliverySeconds = 60 } }

    /// A depth at 100 s, which is committed, and depths at each second after that, which are published; they come back.
    private mutating func killed(
        at committed: Double = 3, after depths: [Double]
    ) throws -> (frames: [RecordedMessage], published: [DerivedJSON]) {
        let lane = try DurableLane(in: directory, settings: Self.settings)
        try lane.take([device.depth(committed, uptime: 100)])
        try lane.commit(at: 1_100.1)
        let frames = depths.enumerated().map { device.depth($1, uptime: 101 + Double($0)) }
        return (frames, states(try lane.take(frames)))
    }

    private func states(_ messages: [DerivedJSON]) -> [DerivedJSON] { messages.filter { $0.kind == "depth-state" } }

    /// The depth states that follow from frames that the broker had queued, all read at `unix`.
    private func queued(_ frames: [RecordedMessage], in lane: DurableLane, at unix: Double) throws -> [DerivedJSON] {
        lane.published.clear()
        try lane.lane.process(frames.map(\.message), at: .at(unix), firesTimers: false)
        return states(lane.published.all)
    }

    @Test("it is confirmed by the first frame after what was queued, so that no confirmation is older than what was published")
    mutating func confirmed() throws {
        let (frames, published) = try killed(after: [3, 39, 39])
        #expect(published.map { $0.text("state") } == ["approachingMaxDepth"])
        let lane = try DurableLane(in: directory, settings: Self.settings, startedAt: 1_104)
        let again = try queued(frames, in: lane, at: 1_104.5)
        #expect(again.map { $0.text("id") } == published.map { $0.text("id") })
        let confirmed = states(try lane.take([device.depth(39, uptime: 104)]))
        #expect(confirmed.map { $0.text("state") } == ["approachingMaxDepth"])
        #expect(confirmed.map { $0.text("cause") } == ["restart"])
        #expect(confirmed.map { $0.number("deviceTime") } == [104])
        #expect(states(try lane.take([device.depth(39, uptime: 105)])).isEmpty)
    }

    @Test("a change in the first frame after what was queued needs no confirmation")
    mutating func changed() throws {
        let (frames, _) = try killed(after: [3])
        let lane = try DurableLane(in: directory, settings: Self.settings, startedAt: 1_102)
        #expect(try queued(frames, in: lane, at: 1_102.5).isEmpty)
        let states = states(try lane.take([device.depth(0.5, uptime: 102), device.depth(0.5, uptime: 103)]))
        #expect(states.map { $0.text("state") } == ["submergedShallow"])
        #expect(states.map { $0.text("cause") } == ["sample"])
    }

    @Test("a deeper state in what was queued is published at once")
    mutating func deeper() throws {
        let (frames, _) = try killed(after: [3])
        let lane = try DurableLane(in: directory, settings: Self.settings, startedAt: 1_102)
        let states = try queued(frames + [device.depth(39, uptime: 102)], in: lane, at: 1_102.5)
        #expect(states.map { $0.text("state") } == ["approachingMaxDepth"])
    }

    @Test("it is confirmed by the last of the frames that waited for those delivered again behind them")
    mutating func deliveredAgain() throws {
        let (frames, published) = try killed(after: [3, 39])
        let lane = try DurableLane(in: directory, settings: Self.settings, startedAt: 1_103)
        try lane.run(.awaitRedelivery(extendsWaits: true), at: 1_103)
        let newer = (0..<3).map { device.depth(39, uptime: 103 + Double($0)) }
        let early = states(try lane.take(newer))
        #expect(early.count == 1 && early.allSatisfy { $0.text("state") == "approachingMaxDepth" }, "\(early)")
        #expect(states(try lane.take([at(1_106, frames[0])])).isEmpty)
        let rest = states(try lane.take([at(1_107, frames[1])]))
        #expect(rest.first?.text("id") == published.last?.text("id"))
        #expect(rest.filter { $0.text("cause") == "restart" }.map { $0.number("deviceTime") } == [105], "\(rest)")
    }

    /// A lane of a diver at `depth` m that was killed and has started again, at 1,103; later frames wait for those that are delivered
    /// again.
    private mutating func waiting(
        at depth: Double = 3, refreshSeconds: Double
    ) throws -> (lane: DurableLane, missing: [RecordedMessage]) {
        var settings = Self.settings
        settings.derive[SubmersionDerivation.self].refreshSeconds = refreshSeconds
        let (missing, _) = try killed(at: depth, after: [depth, depth])
        let lane = try DurableLane(in: directory, settings: settings, startedAt: 1_103)
        try lane.run(.awaitRedelivery(extendsWaits: true), at: 1_103)
        return (lane, missing)
    }

    @Test("a depth that is no less deep, in a frame that waits, confirms it until that frame is in order", arguments: [0.0, 1])
    mutating func confirmedEarly(refreshSeconds: Double) throws {
        let (lane, missing) = try waiting(refreshSeconds: refreshSeconds)
        let early = states(try lane.take((0..<8).map { device.depth(3, uptime: 103 + Double($0)) }))
        #expect(early.allSatisfy { $0.text("state") == "submergedDeep" && $0.flag("early") == true && $0.retain }, "\(early)")
        #expect(early.map { $0.text("cause") }.first == "restart")
        // It expires after 5 s, and is published again before that.
        #expect(early.compactMap { $0.number("deviceTime") } == (refreshSeconds == 0 ? [103, 107] : [103, 107]))
        let rest = states(try lane.take([at(1_111, missing[0]), at(1_112, missing[1])]))
        #expect(rest.last { $0.retain }?.fields["early"] == nil)
        #expect(Set((early + rest).compactMap { $0.text("id") }).count == Set((early + rest).map(\.lasting)).count)
    }

    @Test("a depth that could be deeper in order confirms nothing early")
    mutating func notConfirmedEarly() throws {
        // Within the hysteresis of the next state.
        let approaching = 40 * SubmersionSettings().approachingFraction
        let (lane, _) = try waiting(at: approaching - 1, refreshSeconds: 1)
        let early = states(try lane.take([device.depth(approaching - 0.1, uptime: 103)]))
        #expect(early.isEmpty, "\(early)")
    }

    @Test("a depth that is less deep confirms nothing early")
    mutating func lessDeepEarly() throws {
        let (lane, _) = try waiting(refreshSeconds: 1)
        let depths = [2, 0.7, 0.6].enumerated().map { device.depth($1, uptime: 103 + Double($0)) }
        let early = states(try lane.take(depths))
        #expect(early.allSatisfy { $0.text("state") == "submergedDeep" && $0.number("deviceTime") == 103 }, "\(early)")
    }

    @Test("a depth that was read early before the kill keeps the broker from retaining one that is less deep")
    mutating func readEarlyBefore() throws {
        let (missing, _) = try killed(after: [3])
        let before = try DurableLane(in: directory, settings: Self.settings, startedAt: 1_102)
        try before.run(.awaitRedelivery(extendsWaits: true), at: 1_102)
        let early = states(try before.take([device.depth(39, uptime: 103)]))
        #expect(early.map { $0.text("state") } == ["approachingMaxDepth"])
        try before.commit(at: 1_103.2)
        let lane = try DurableLane(in: directory, settings: Self.settings, startedAt: 1_104)
        lane.published.clear()
        try lane.run(.awaitRedelivery(extendsWaits: true), at: 1_104)
        #expect(states(lane.published.all).isEmpty, "what it shows is old")
        let inOrder = try lane.take([at(1_110, missing[0])]).filter { $0.kind == "depth-state" && $0.retain }
        #expect(inOrder.allSatisfy { $0.fields["early"] == nil && $0.text("state") == "approachingMaxDepth" } && !inOrder.isEmpty)
    }

    private func at(_ unix: Double, _ frame: RecordedMessage) -> RecordedMessage {
        var frame = frame
        frame.at = unix
        return frame
    }
}
