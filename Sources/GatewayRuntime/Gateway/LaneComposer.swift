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

    /// The service of a session that the lanes of `plans` read.
    func compose(_ plans: [LanePlan]) throws -> LaneService {
        var connection = connection(of: plans)
        connection.niceness = plans[0].niceness
        let wanted = connection.filters
        let filters = directory?.filters(of: plans[0].name, connection)
        let held = heldFilters(filters)
        connection.unsubscriptions = held.subtracting(wanted).sorted()
        let readers = Set(plans.map(\.name))
        try filters?.store(held.union(wanted), readBy: readers)
        let client = MosquittoClient(configuration: connection, logger: logger)
        return LaneService(
            parts: try plans.map { try part($0, of: client) }, client: client, lanes: lanes, status: status,
            settings: .init(
                publishTimeoutSeconds: configuration.mqtt.publishTimeoutSeconds,
                idleStateSeconds: configuration.gateway.idleStateSeconds,
                redeliverySeconds: configuration.mqtt.redeliverySeconds,
                permit: permit, handover: handover, restoresRetained: owesStates),
            clock: clock, logger: logger, noteSubscribed: { try filters?.store(wanted, readBy: readers) })
    }

    private func part(_ plan: LanePlan, of client: MosquittoClient) throws -> LaneService.Part {
        var storage = try directory?.storage(of: plan.name, payloadBytes: settings.decode.maximumPayloadBytes)
        storage?.replica = replica.map { LaneReplica(replica: $0, lane: plan.name) }
        let egress = egress.with(priority: plan.priority)
        let reportKinds = discovery?.reportKinds(of: plan.share.streams)
        return LaneService.Part(
            plan: plan, egress: egress,
            watch: LaneWatch(
                gateway: configuration.gateway.name, lane: plan.name.rawValue, instance: instance,
                mayFallBehind: !plan.share.streams.contains(.submersion)),
            mailbox: LaneMailbox(lane: plan.name, wakeUp: client.wakeUp),
            makeLane: { [settings, logger, admission = lanes.admission, storage] policy in
                Lane(
                    plan: plan, settings: settings, policy: policy, admission: admission, egress: egress, storage: storage,
                    reportKinds: reportKinds, logger: logger)
            })
    }

    /// Records in `directory` that the session of `plans` may hold its filters beside those that it had, and then subscribes it and reads
    /// nothing: the broker keeps what comes from now on. False when the gateway stops before.
    func hold(_ plans: [LanePlan], in directory: StateDirectory?) async throws -> Bool {
        let connection = connection(of: plans)
        if let directory {
            try await BlockingCall.run {
                let filters = directory.filters(of: plans[0].name, connection)
                // A lane goes on with the session that it reads until that is read to its end.
                let others = GatewayConfiguration.Lanes.Name.allCases.filter { $0 != plans[0].name }
                let elsewhere = others.flatMap { directory.record(of: $0)?.lanes ?? [] }
                let readers = Set(plans.map(\.name)).subtracting(elsewhere).union(filters.present?.lanes ?? [])
                try filters.store(heldFilters(filters).union(connection.filters), readBy: readers)
            }
        }
        return try await KeptSession(connection: connection, logger: logger).subscribe()
    }

    /// The filters that the broker may hold for a session.
    private func heldFilters(_ filters: SessionFilters?) -> Set<String> {
        if let recorded = filters?.present { return recorded.filters }
        return hasNewSessions ? [] : LanePlan.unrecordedFilters(configuration, producers: settings.producers)
    }

    /// The heartbeats of `services`.
    func heartbeats(of services: [LaneService]) -> HeartbeatService {
        HeartbeatService(
            configuration: configuration, instance: instance, egress: egress,
            lanes: services.flatMap { service in
                service.parts.map { .init(name: $0.plan.name, client: service.client, watch: $0.watch) }
            }, noteDelivery: { [status] in await status.note(lacksHeartbeat: $0, of: $1) }, clock: clock, logger: logger)
    }

    /// The connection of the session that the lanes of `plans` read.
    func connection(of plans: [LanePlan]) -> MosquittoConfiguration {
        var connection = MosquittoConfiguration.ingress(configuration, plans, producers: settings.producers, brokers: brokers)
        connection.fence = permit
        return connection
    }
}

extension MosquittoConfiguration {
    /// The topic filters that it subscribes to.
    var filters: Set<String> { Set(subscriptions.map(\.filter)) }
}
