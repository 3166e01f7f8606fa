import GatewayConfiguration
import GatewayPipeline
import GatewayTestSupport
import Mosquitto
import TelemetryModel

@testable import GatewayRuntime

/// The session of one lane for everything, without a broker: a test delivers what would be read.
struct LaneSessionFixture {
    private static let instance = Heartbeat.Instance(id: "own", started: 100)
    let clock: ManualClock
    let published = CollectedMessages()
    let watch: LaneWatch
    let lane: Lane
    let session: IngressSession

    /// A session whose broker delivers again for so long, behind newer frames, what was not acknowledged in time; with `mayFallBehind` of a
    /// lane whose timers wait for what the broker still holds.
    init(redeliverySeconds: Double = 0, clockStep: Double = 0, mayFallBehind: Bool = false) {
        watch = LaneWatch(gateway: "g", lane: "safety", instance: Self.instance, mayFallBehind: mayFallBehind)
        let clock = ManualClock(step: clockStep)
        self.clock = clock
        var settings = PipelineHarness.settings
        settings.intake.redeliverySeconds = redeliverySeconds
        let admission = Admission(policy: DurableLane.everybody)
        let client = MosquittoClient(
            configuration: MosquittoConfiguration(brokers: BrokerList(host: "broker"), clientID: "g"),
            logger: DurableLane.logger)
        let permit = Permit(clock: clock)
        permit.extend(until: .infinity)
        lane = Lane(
            plan: .everything, settings: settings, policy: DurableLane.everybody,
            admission: admission, egress: published)
        let part = LaneSession(
            lane: lane,
            context: LaneContext(
                handover: Handover(), permit: permit, idleStateSeconds: 3_600, egress: Egress(client: client), watch: watch,
                mailbox: LaneMailbox(lane: .safety, wakeUp: client.wakeUp), lanes: LaneRegistry(admission: admission),
                wakeUp: client.wakeUp, report: { _ in }, clock: clock, logger: DurableLane.logger, metadata: [:]),
            committer: Committer(client: client, permit: permit, timeoutSeconds: 10, lane: client.wakeUp))
        session = IngressSession([part])
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

extension MQTTMessage {
    /// A recorded message as it is delivered.
    init(_ frame: RecordedMessage) { self.init(topic: frame.message.topic, payload: frame.message.payload) }
}
