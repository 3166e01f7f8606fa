import GatewayConfiguration
import GatewayPipeline
import GatewayTestSupport
import Mosquitto
import Synchronization
import TelemetryModel
import Testing

@testable import GatewayRuntime

@Suite("A lane's session with the broker")
struct LaneSessionTests {
    private final class SetClock: GatewayClock {
        let unix = Mutex(0.0)
        var now: GatewayTime { .at(unix.withLock { $0 }) }

        func set(to unix: Double) { self.unix.withLock { $0 = unix } }
        func sleep(seconds: Double) async throws {}
    }

    /// The session of a lane with a broker that delivers again, behind newer frames, what was not acknowledged in time.
    private struct Fixture {
        private static let instance = Heartbeat.Instance(id: "own", started: 100)
        let clock = SetClock()
        let published = CollectedMessages()
        let watch = LaneWatch(gateway: "g", lane: "safety", instance: instance, mayFallBehind: false)
        let session: LaneSession

        init() {
            var settings = PipelineHarness.settings
            settings.intake.redeliverySeconds = 60
            let admission = Admission(policy: DurableLane.everybody)
            let client = MosquittoClient(
                configuration: MosquittoConfiguration(brokers: BrokerList(host: "broker"), clientID: "g"),
                logger: DurableLane.logger)
            let permit = Permit(clock: clock)
            session = LaneSession(
                lane: Lane(
                    plan: .single(of: GatewayConfiguration()), settings: settings, policy: DurableLane.everybody,
                    admission: admission, egress: published),
                context: LaneContext(
                    handover: Handover(), permit: permit, idleStateSeconds: 3_600, egress: Egress(client: client), watch: watch,
                    mailbox: LaneMailbox(lane: .safety, wakeUp: client.wakeUp), lanes: LaneRegistry(admission: admission),
                    wakeUp: client.wakeUp, report: { _ in }, clock: clock, logger: DurableLane.logger, metadata: [:]),
                committer: Committer(client: client, permit: permit, timeoutSeconds: 10, lane: client.wakeUp))
        }

        /// Delivers messages at an instant, and lets the lane commit and fire its timers; returns the kinds of what it publishes.
        func deliver(_ messages: [MQTTMessage], at unix: Double) -> [String] {
            clock.set(to: unix)
            published.clear()
            session.receive(messages)
            _ = session.review(isStopping: false)
            clock.set(to: unix + 0.5)
            _ = session.review(isStopping: false)
            return published.all.map(\.kind)
        }

        func heartbeat(_ number: Int) -> MQTTMessage {
            Heartbeat(instance: Self.instance, number: number).message(gateway: "g", lane: "safety")
        }
    }

    private func message(_ frame: RecordedMessage) -> MQTTMessage {
        MQTTMessage(topic: frame.message.topic, payload: frame.message.payload)
    }

    @Test("waits for a missing frame while the lane is behind, since the broker may deliver it again", arguments: [1.0, 2.0])
    func behind(seconds: Double) throws {
        let fixture = Fixture()
        let start = 1_763_744_100.0
        var diver = TestDevice(offset: start - 100)
        let frames = (0...3).map { message(diver.depth(3, uptime: 100 + Double($0), seq: $0)) }
        fixture.clock.set(to: start)
        fixture.session.connected(sessionPresent: false)
        #expect(fixture.deliver([fixture.heartbeat(1), frames[0]], at: start).contains("depth-state"))
        fixture.watch.heartbeatPublished(2, at: start + 3)
        #expect(fixture.deliver([fixture.heartbeat(2), frames[2]], at: start + 3 + seconds) == [])
        let later = fixture.deliver([frames[3]], at: start + 30)
        let missing = fixture.deliver([frames[1]], at: start + 31)
        #expect((later + missing).contains("gap") == (seconds < LaneWatch.behindSeconds))
    }
}
