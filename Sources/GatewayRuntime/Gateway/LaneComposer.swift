import GatewayConfiguration
import GatewayPipeline
import Logging
import Mosquitto
import TelemetryModel

/// Composes lanes from their plans.
struct LaneComposer: Sendable {
    /// Its protocol version is the one that the publishing connection was accepted with.
    var configuration: GatewayConfiguration
    let brokers: BrokerList
    let settings: PipelineSettings
    let instance: Heartbeat.Instance
    let permit: Permit
    let handover: Handover
    let lanes: LaneRegistry
    let egress: Egress
    let status: StatusPublisher
    let directory: StateDirectory?
    /// The copy of the states elsewhere; nil for none.
    var replica: StateReplica?
    /// Whether retained messages of an earlier run were refused, so that all have to be published again.
    let owesStates: Bool
    let discovery: Discovery?
    /// Whether the broker had no session of any lane before this start. ejabberd 23.01 delivers to nobody any more what matches a filter
    /// that a session unsubscribes without having it.
    var hasNewSessions = false
    let clock: any GatewayClock
    let logger: Logger

    /// A lane with the streams of `plan`; those of `leaving` it processes, but is no longer subscribed to.
    func compose(_ plan: LanePlan, leaving: Set<StreamName> = []) throws -> LaneService {
        var subscribed = plan
        subscribed.share.streams.subtract(leaving)
        var connection = connection(of: subscribed)
        connection.niceness = plan.niceness
        var storage = try directory?.storage(of: plan.name, payloadBytes: settings.decode.maximumPayloadBytes)
        storage?.replica = replica.map { LaneReplica(replica: $0, lane: plan.name) }
        let wanted = connection.filters
        let filters = directory?.filters(of: plan.name, connection)
        let held = heldFilters(filters)
        connection.unsubscriptions = held.subtracting(wanted).sorted()
        try filters?.store(held.union(wanted), streams: plan.share.streams)
        let client = MosquittoClient(configuration: connection, logger: logger)
        let mailbox = LaneMailbox(lane: plan.name, wakeUp: client.wakeUp)
        let egress = egress.with(priority: plan.priority)
        let reportKinds = discovery?.reportKinds(of: plan.share.streams)
        return LaneService(
            plan: plan, client: client, egress: egress,
            watch: LaneWatch(
                gateway: configuration.gateway.name, lane: plan.name.rawValue, instance: instance,
                mayFallBehind: !plan.share.streams.contains(.submersion)),
            mailbox: mailbox, lanes: lanes, status: status,
            settings: .init(
                publishTimeoutSeconds: configuration.mqtt.publishTimeoutSeconds,
                idleStateSeconds: configuration.gateway.idleStateSeconds,
                permit: permit, handover: handover, restoresRetained: owesStates),
            clock: clock, logger: logger, noteSubscribed: { try filters?.store(wanted, streams: plan.share.streams) },
            makeLane: { [settings, logger, admission = lanes.admission, storage] policy in
                Lane(
                    plan: plan, settings: settings, policy: policy, admission: admission, egress: egress, storage: storage,
                    reportKinds: reportKinds, logger: logger)
            })
    }

    /// Processes messages that a lane with the streams of `plan` has journaled.
    func journalReplay(of plan: LanePlan) -> JournalReplay {
        JournalReplay(settings: settings, policy: lanes.admission.policy, share: plan.share)
    }

    /// Records in `directory` that the session of a lane may hold the filters of `plan` beside those that it had, which it does once it is
    /// subscribed. Blocks.
    func noteHeld(by plan: LanePlan, in directory: StateDirectory) throws {
        let connection = connection(of: plan)
        let filters = directory.filters(of: plan.name, connection)
        try filters.store(heldFilters(filters).union(connection.filters), streams: filters.record?.streams ?? [])
    }

    /// The filters that the broker may hold for a lane's session.
    private func heldFilters(_ filters: SessionFilters?) -> Set<String> {
        if let recorded = filters?.load() { return recorded }
        return hasNewSessions ? [] : LanePlan.unrecordedFilters(configuration, producers: settings.producers)
    }

    /// The heartbeats of `services`.
    func heartbeats(of services: [LaneService]) -> HeartbeatService {
        HeartbeatService(
            configuration: configuration, instance: instance, egress: egress,
            lanes: services.map { .init(name: $0.plan.name, client: $0.client, watch: $0.watch) }, clock: clock, logger: logger)
    }

    /// The connection of a lane.
    func connection(of plan: LanePlan) -> MosquittoConfiguration {
        var connection = MosquittoConfiguration.ingress(configuration, plan, producers: settings.producers, brokers: brokers)
        connection.fence = permit
        return connection
    }
}

extension MosquittoConfiguration {
    /// The topic filters that it subscribes to.
    var filters: Set<String> { Set(subscriptions.map(\.filter)) }
}
