import GatewayConfiguration
import GatewayPipeline
import GatewayTestSupport
import Mosquitto
import TelemetryModel

@testable import GatewayRuntime

/// What sessions of lanes have in common. Nothing is published over a connection, so that commits wait for nothing.
struct WithoutBroker {
    let clock: ManualClock
    let client = MosquittoClient(
        configuration: MosquittoConfiguration(brokers: BrokerList(host: "broker"), clientID: "g"), logger: DurableLane.logger)
    let permit: Permit
    let admission = Admission(policy: DurableLane.everybody)

    init(_ clock: ManualClock) {
        self.clock = clock
        permit = Permit(clock: clock)
        permit.extend(until: .infinity)
    }

    /// The session of `lane`, whose committer is not started.
    func session(
        of lane: Lane, watch: LaneWatch, report: @escaping @Sendable (LaneContext.Report) -> Void = { _ in }
    ) -> (LaneSession, Committer) {
        let committer = Committer(client: client, permit: permit, timeoutSeconds: 10, lane: client.wakeUp)
        let context = LaneContext(
            handover: Handover(), permit: permit, idleStateSeconds: 3_600, egress: Egress(client: client), watch: watch,
            mailbox: LaneMailbox(lane: lane.plan.name, wakeUp: client.wakeUp), lanes: LaneRegistry(admission: admission),
            wakeUp: client.wakeUp, report: report, clock: clock, logger: DurableLane.logger, metadata: [:])
        return (LaneSession(lane: lane, context: context, committer: committer), committer)
    }
}

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
        clock = ManualClock(step: clockStep)
        let parts = WithoutBroker(clock)
        lane = Lane(
            plan: .everything, settings: .with { $0.intake.redeliverySeconds = redeliverySeconds }, policy: DurableLane.everybody,
            admission: parts.admission, egress: published)
        session = IngressSession([parts.session(of: lane, watch: watch).0])
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
