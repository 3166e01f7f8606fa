import GatewayConfiguration
import GatewayPipeline
import GatewayTestSupport
import LocalBroker
import Mosquitto
import Synchronization
import TelemetryModel
import Testing

@testable import GatewayRuntime

/// What is said of the storage of a lane, as `/readyz` shows it.
@Suite("Problems with the storage", .timeLimit(.minutes(2)))
struct StorageProblemTests {
    /// The session of a lane whose states are on disk.
    private final class Fixture {
        let clock = ManualClock()
        let directory: StateDirectory
        let session: IngressSession
        let published = CollectedMessages()
        private let committer: Committer
        private let parts: WithoutBroker
        private let reports = Reports()

        private final class Reports: Sendable {
            let all = Mutex<[LaneContext.Report]>([])
        }

        init(in folder: TemporaryDirectory, at unix: Double) throws {
            clock.set(to: unix)
            directory = try StateDirectory(in: folder)
            let parts = WithoutBroker(clock)
            self.parts = parts
            parts.permit.win(epoch: 1)
            let lane = Lane(
                plan: .everything, settings: PipelineHarness.settings, policy: DurableLane.everybody,
                admission: parts.admission, egress: published,
                storage: try directory.storage(of: .safety, payloadBytes: 1_000))
            _ = try lane.restore(at: clock.now)
            let watch = LaneWatch(
                gateway: "g", lane: "safety", instance: .init(id: "own", started: unix), mayFallBehind: false)
            let (part, committer) = parts.session(of: lane, watch: watch) { [reports] report in
                reports.all.withLock { $0.append(report) }
            }
            self.committer = committer
            session = IngressSession([part])
            try committer.start(name: "commit-test", niceness: 0)
        }

        deinit { committer.end() }

        /// What was reported last of the storage; nil for no problem.
        var problem: String? {
            let last = reports.all.withLock { $0 }.compactMap { report -> String?? in
                if case .storage(let problem) = report { .some(problem) } else { nil }
            }.last
            return last ?? nil
        }

        /// Lets the lane review until it neither commits nor has anything to commit.
        func review(at unix: Double) {
            clock.set(to: unix)
            for _ in 0..<100 {
                let decision = session.review(isStopping: true)
                if decision.acknowledgements != .hold { return }
                parts.client.wakeUp.wait(atMost: .seconds(1))
            }
            Issue.record("the commit does not end")
        }

        func take(_ frame: RecordedMessage) {
            clock.set(to: frame.at)
            session.receive([MQTTMessage(topic: frame.message.topic, payload: frame.message.payload)])
            review(at: frame.at)
        }
    }

    private let folder: TemporaryDirectory
    private let start = 1_763_744_100.0

    init() throws { folder = try TemporaryDirectory() }

    /// An old row, which each pruning tries to delete, and whether that fails.
    private func makePruning(_ fails: Bool, _ directory: StateDirectory) throws {
        try directory.execute(
            fails
                ? """
                INSERT INTO events VALUES ('d9', 5.5, 'a', 'day', x'7b7d');
                CREATE TRIGGER full BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'the disk is full'); END;
                """ : "DROP TRIGGER full")
    }

    @Test("deletion that fails is a problem until deletion succeeds, whatever is committed, and though nothing is")
    func pruning() throws {
        let fixture = try Fixture(in: folder, at: start)
        var app = TestDevice("d1", offset: start - 100)
        try makePruning(true, fixture.directory)
        fixture.review(at: start + 11)
        #expect(fixture.problem?.contains("the disk is full") == true)
        fixture.take(app.depth(3, uptime: 112))
        #expect(fixture.problem?.contains("the disk is full") == true, "a commit shows nothing of deletion")
        try makePruning(false, fixture.directory)
        fixture.review(at: start + 23)
        #expect(fixture.problem == nil)
    }

    @Test("a commit that fails is a problem until one succeeds, though deletion does")
    func commit() throws {
        let fixture = try Fixture(in: folder, at: start)
        var app = TestDevice("d1", offset: start - 100)
        try fixture.directory.execute(
            "CREATE TRIGGER full BEFORE UPDATE ON clock BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
        fixture.take(app.depth(3, uptime: 101))
        #expect(fixture.problem?.contains("the disk is full") == true)
        fixture.session.disconnected()
        fixture.review(at: start + 12)
        try fixture.directory.execute("DROP TRIGGER full")
        fixture.session.connected(sessionPresent: true)
        fixture.take(app.depth(3, uptime: 113))
        #expect(fixture.problem == nil)
    }

    @Test("what a start has published of the file is removed from it though no frame comes")
    func debts() throws {
        do { try JournaledDive().journal(by: DurableLane(in: StateDirectory(in: folder), settings: JournaledDive.before())) }
        let fixture = try Fixture(in: folder, at: start)
        #expect(fixture.published.all.contains { $0.kind == "dive" })
        #expect(try !fixture.directory.store(of: .safety).debts().isEmpty)
        fixture.review(at: start + 1)
        #expect(try fixture.directory.store(of: .safety).debts().isEmpty)
    }
}
