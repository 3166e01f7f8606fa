import GRDB
import GatewayConfiguration
import GatewayPipeline
import GatewayTestSupport
import LocalBroker
import Mosquitto
import TelemetryModel
import Testing

@testable import GatewayRuntime

/// One session that the three lanes read, without a broker: a test delivers what would be read.
private final class SharedSessionFixture {
    let clock = ManualClock()
    let directory: StateDirectory
    let session: IngressSession
    let lanes: [Lane]
    private(set) var watches: [LaneWatch] = []
    private let parts: WithoutBroker
    private var committers: [Committer] = []
    private var isStarted: Set<Int> = []

    /// The committers of `lanes` run from the start, those of others once they are started.
    init(in folder: TemporaryDirectory, at unix: Double, committing: [Int] = [0, 1, 2]) throws {
        clock.set(to: unix)
        directory = try StateDirectory(in: folder)
        let parts = WithoutBroker(clock)
        self.parts = parts
        parts.permit.win(epoch: 1)
        var configuration = GatewayConfiguration()
        configuration.mqtt.receiveMaximum = 20
        var (lanes, sessions): ([Lane], [LaneSession]) = ([], [])
        for plan in LanePlan.sharing(in: configuration) {
            let watch = LaneWatch(
                gateway: "g", lane: plan.name.rawValue, instance: .init(id: "own", started: unix), mayFallBehind: false)
            watches.append(watch)
            let lane = Lane(
                plan: plan, settings: PipelineHarness.settings, policy: DurableLane.everybody, admission: parts.admission,
                egress: CollectedMessages(), storage: try directory.storage(of: plan.name, payloadBytes: 10_000))
            _ = try lane.restore(at: clock.now)
            let (session, committer) = parts.session(of: lane, watch: watch)
            committers.append(committer)
            lanes.append(lane)
            sessions.append(session)
        }
        self.lanes = lanes
        session = IngressSession(sessions)
        for index in committing { try startCommitting(index) }
        session.connected(sessionPresent: false)
    }

    deinit { for committer in committers { committer.end() } }

    func startCommitting(_ index: Int) throws {
        guard isStarted.insert(index).inserted else { return }
        try committers[index].start(name: "commit-test", niceness: 0)
    }

    func deliver(_ frames: [RecordedMessage], at unix: Double) {
        clock.set(to: unix)
        session.receive(frames.map { MQTTMessage($0) })
    }

    /// Reviews at `unix` until the acknowledgements are written or released, or nothing happens any more.
    func review(at unix: Double) -> DeliveryDecision {
        clock.set(to: unix)
        var decision = session.review(isStopping: false)
        for _ in 0..<20 {
            guard case .hold = decision.acknowledgements else { break }
            parts.client.wakeUp.wait(atMost: .milliseconds(isStarted.count == 3 ? 1_000 : 100))
            decision = session.review(isStopping: false)
        }
        return decision
    }

    /// How many messages each lane has received.
    var received: [Int] { lanes.map(\.snapshot.counters.received) }

    /// The devices of which each lane has a state on disk.
    func stored() throws -> [Int] {
        try GatewayConfiguration.Lanes.Name.allCases.map { lane in
            try DatabaseQueue.readOnly(directory.storeFile(of: lane)).read {
                try Int.fetchOne($0, sql: "SELECT count(*) FROM state") ?? 0
            }
        }
    }
}

@Suite("A session that all lanes read", .timeLimit(.minutes(2)))
struct IngressSessionTests {
    private let folder: TemporaryDirectory
    private let start = 1_763_744_100.0
    private var device: TestDevice

    init() throws {
        folder = try TemporaryDirectory()
        device = TestDevice("d1", offset: start - 100)
    }

    @Test("passes a message to the lane of its stream, and one that concerns all streams to each")
    mutating func routing() throws {
        let fixture = try SharedSessionFixture(in: folder, at: start)
        fixture.deliver([device.depth(3, uptime: 101)], at: start + 1)
        #expect(fixture.received == [1, 0, 0])
        fixture.deliver([device.stillHead(uptime: 101.2), device.accelerometer(start: 101.3)], at: start + 1.5)
        #expect(fixture.received == [1, 1, 1])
        fixture.deliver([device.status(uptime: 102)], at: start + 2)
        // It counts where its stream is.
        #expect(fixture.received == [2, 1, 1])
        #expect(fixture.lanes.map { $0.snapshot.activeDevices } == [1, 1, 1])
        #expect(fixture.review(at: start + 3).acknowledgements == .write)
        #expect(try fixture.stored() == [1, 1, 1])
    }

    @Test("is not silent for a lane while another one commits, and nothing is read for any")
    mutating func commitOfAnother() throws {
        let fixture = try SharedSessionFixture(in: folder, at: start, committing: [0, 2])
        let watch = fixture.watches[2]
        let heartbeat = "{\"instance\":\"own\",\"started\":\(start),\"number\":1}"
        fixture.session.receive([MQTTMessage(topic: Heartbeat.topic(gateway: "g", lane: "bulk"), payload: Array(heartbeat.utf8))])
        #expect(fixture.review(at: start + 0.5).acknowledgements == .write)
        fixture.deliver([device.stillHead(uptime: 101.2)], at: start + 1)
        #expect(fixture.review(at: start + 1.2).acknowledgements == .hold)
        watch.heartbeatPublished(2, at: start + 1.3)
        watch.heartbeatAccepted(2, at: start + 1.3)
        #expect(!watch.isSilent(at: start + 5))
        try fixture.startCommitting(1)
        #expect(fixture.review(at: start + 5).acknowledgements == .write)
        watch.heartbeatAccepted(2, at: start + 5.1)
        #expect(watch.isSilent(at: start + 8))
    }

    @Test("acknowledges what is for no lane, such as a topic of no stream")
    func unknown() throws {
        let fixture = try SharedSessionFixture(in: folder, at: start)
        fixture.session.receive([MQTTMessage(topic: "wearables/d1/in/nonsense", payload: [])])
        #expect(fixture.review(at: start + 1).acknowledgements == .write)
        #expect(fixture.received == [0, 0, 0])
    }

    @Test("acknowledges nothing before every lane has committed what is for it, and reads on until half of the window is read")
    mutating func slowest() throws {
        let fixture = try SharedSessionFixture(in: folder, at: start, committing: [0, 2])
        fixture.deliver([device.depth(3, uptime: 101), device.stillHead(uptime: 101.2)], at: start + 1)
        var decision = fixture.review(at: start + 1.2)
        #expect(decision.acknowledgements == .hold && decision.mayRead)
        #expect(try fixture.stored() == [1, 0, 0], "the other lane has committed")
        fixture.deliver((0..<8).map { device.depth(3, uptime: 101.3 + Double($0) / 100) }, at: start + 1.4)
        decision = fixture.review(at: start + 1.41)
        #expect(decision.acknowledgements == .hold && !decision.mayRead, "10 of a window of 20 are unacknowledged")
        try fixture.startCommitting(1)
        #expect(fixture.review(at: start + 1.42).acknowledgements == .write)
        #expect(try fixture.stored() == [1, 1, 0])
        #expect(fixture.review(at: start + 1.43).mayRead)
    }

    @Test("reads nothing during a commit that begins once a message was unacknowledged for too long, whichever lane it is for")
    mutating func oldest() throws {
        let fixture = try SharedSessionFixture(in: folder, at: start, committing: [2])
        fixture.deliver([device.depth(3, uptime: 101)], at: start + 1)
        let end = start + 1 + CommitSchedule.acknowledgeSeconds
        #expect(fixture.review(at: start + 1.2).mayRead)
        #expect(fixture.review(at: end + 0.1).mayRead, "the commit of the first lane has begun in time")
        fixture.deliver([device.stillHead(uptime: 103.2)], at: end + 0.1)
        #expect(!fixture.review(at: end + 0.3).mayRead, "that of the second has not")
        try fixture.startCommitting(0)
        #expect(fixture.review(at: end + 0.4).acknowledgements == .hold)
        try fixture.startCommitting(1)
        #expect(fixture.review(at: end + 0.5).acknowledgements == .write)
        #expect(try fixture.stored() == [1, 1, 0])
    }

    @Test("releases everything when one lane cannot commit; what the others had committed counts as repeated")
    mutating func released() throws {
        let fixture = try SharedSessionFixture(in: folder, at: start)
        let file = fixture.directory.storeFile(of: .motion)
        try fixture.directory.execute(
            "CREATE TRIGGER full BEFORE UPDATE ON clock BEGIN SELECT RAISE(ABORT, 'the disk is full'); END", file: file)
        let frames = [device.depth(3, uptime: 101), device.stillHead(uptime: 101.2)]
        fixture.deliver(frames, at: start + 1)
        #expect(fixture.review(at: start + 1.2).acknowledgements == .release)
        fixture.session.disconnected()
        try fixture.directory.execute("DROP TRIGGER full", file: file)
        fixture.session.connected(sessionPresent: true)
        fixture.deliver(frames, at: start + 2)
        #expect(fixture.review(at: start + 2.2).acknowledgements == .write)
        #expect(fixture.lanes[0].snapshot.counters.repeated == 1)
        #expect(try fixture.stored() == [1, 1, 0])
    }

    @Test("stops with everything of all lanes committed")
    mutating func stop() throws {
        let fixture = try SharedSessionFixture(in: folder, at: start)
        fixture.deliver(
            [device.depth(3, uptime: 101), device.stillHead(uptime: 101.2), device.accelerometer(start: 101.3)], at: start + 1)
        fixture.session.stopped()
        #expect(try fixture.stored() == [1, 1, 1])
    }
}
