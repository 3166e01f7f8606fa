import GatewayPipeline
import GatewayTestSupport
import LocalBroker
import TelemetryModel
import Testing

@testable import GatewayRuntime

/// A gateway is killed after it has published what it has not committed; the broker delivers those frames again.
@Suite("The depth of a device after a kill")
struct RestoredDepthTests {
    private let folder: TemporaryDirectory
    private let directory: StateDirectory
    private var device = TestDevice("d1", offset: 1_000)

    init() throws {
        folder = try TemporaryDirectory()
        directory = try StateDirectory(in: folder)
    }

    private static var settings: PipelineSettings {
        var settings = PipelineHarness.settings
        settings.intake.redeliverySeconds = 60
        return settings
    }

    /// Depths at 100 s, which are committed, and at each second after that, which are published; they come back.
    private mutating func killed(after depths: [Double]) throws -> (frames: [RecordedMessage], published: [DerivedJSON]) {
        let lane = try DurableLane(in: directory, settings: Self.settings)
        try lane.take([device.depth(3, uptime: 100)])
        try lane.commit(at: 1_100.1)
        let frames = depths.enumerated().map { device.depth($1, uptime: 101 + Double($0)) }
        return (frames, states(try lane.take(frames)))
    }

    private func started(at unix: Double) throws -> DurableLane {
        let lane = try DurableLane(in: directory, settings: Self.settings)
        try lane.start(at: unix)
        return lane
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
        let lane = try started(at: 1_104)
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
        let lane = try started(at: 1_102)
        #expect(try queued(frames, in: lane, at: 1_102.5).isEmpty)
        let states = states(try lane.take([device.depth(0.5, uptime: 102), device.depth(0.5, uptime: 103)]))
        #expect(states.map { $0.text("state") } == ["submergedShallow"])
        #expect(states.map { $0.text("cause") } == ["sample"])
    }

    @Test("a deeper state in what was queued is published at once")
    mutating func deeper() throws {
        let (frames, _) = try killed(after: [3])
        let lane = try started(at: 1_102)
        let states = try queued(frames + [device.depth(39, uptime: 102)], in: lane, at: 1_102.5)
        #expect(states.map { $0.text("state") } == ["approachingMaxDepth"])
    }

    @Test("it is confirmed by the last of the frames that waited for those delivered again behind them")
    mutating func deliveredAgain() throws {
        let (frames, published) = try killed(after: [3, 39])
        let lane = try started(at: 1_103)
        try lane.run(.awaitRedelivery, at: 1_103)
        let newer = (0..<3).map { device.depth(39, uptime: 103 + Double($0)) }
        let early = states(try lane.take(newer))
        #expect(early.count == 1 && early.allSatisfy { $0.text("state") == "approachingMaxDepth" }, "\(early)")
        #expect(states(try lane.take([at(1_106, frames[0])])).isEmpty)
        let rest = states(try lane.take([at(1_107, frames[1])]))
        #expect(rest.first?.text("id") == published.last?.text("id"))
        #expect(rest.filter { $0.text("cause") == "restart" }.map { $0.number("deviceTime") } == [105], "\(rest)")
    }

    private func at(_ unix: Double, _ frame: RecordedMessage) -> RecordedMessage {
        var frame = frame
        frame.at = unix
        return frame
    }
}
