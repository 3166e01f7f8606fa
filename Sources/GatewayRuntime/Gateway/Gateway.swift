package import GatewayConfiguration
package import GatewayPipeline
package import Logging
import Mosquitto
package import ServiceLifecycle
import TelemetryModel
package import UnixSignals

/// The whole gateway, composed from its configuration.
package struct Gateway: Sendable {
    /// The services in the order of their start; they stop in the reverse order, so ingress stops first and egress last.
    package let services: [any Service]
    /// Answers how the gateway is.
    package let monitor: Monitor
    /// Where metrics and health are served; nil for nowhere.
    private let httpPort: Int?
    private let reading: Gate
    private let handover: Handover
    private let clock: any GatewayClock
    private let logger: Logger

    /// Composes a gateway. `configuration` has been loaded without problems, and so have the registry and the producers it names.
    /// Throws when the state directory cannot be used, or another gateway uses it. `startDelay` is how long, in seconds, discovery
    /// messages wait after a start of Home Assistant. `withoutState` permits a start with an empty state directory although the broker has kept
    /// sessions. With `subscribesOnly` it subscribes the sessions of its lanes and stops, without reading anything or serving HTTP.
    package init(
        configuration: GatewayConfiguration, registry: Registry, producers: Producers = Producers(),
        withoutState: Bool = false, subscribesOnly: Bool = false, clock: any GatewayClock = SystemGatewayClock(),
        startDelay: @escaping @Sendable () -> Double = { .random(in: 0...5) },
        logger: Logger
    ) throws(GatewayError) {
        let settings = try PipelineSettings(configuration, producers: producers)
        let directory = try configuration.gateway.stateDirectory.map { path throws(GatewayError) in
            try StateDirectory(path: path, history: HistoryStorage(configuration.history), logger: logger)
        }
        if let problem = directory?.startProblem { throw GatewayError(problem) }
        let instance = Heartbeat.Instance(
            id: String(UInt64.random(in: .min ... .max), radix: 36), started: clock.now.unix.seconds)
        let encoder = OutboundEncoder(settings)
        var offline = GatewayStatus(gateway: settings.gateway, state: .offline, version: GatewayVersion.current)
        offline.instance = instance.id
        if configuration.mqtt.version == .v5 { offline.maximumPacketBytes = configuration.mqtt.maximumPacketBytes }
        let policy = AccessPolicy(registry, of: configuration.gateway.partition)
        let discovery = try Discovery(configuration, settings, policy: policy, directory: directory)
        let permit = Permit(clock: clock)
        let brokers = BrokerList(configuration.mqtt)
        let ownership = Ownership(
            configuration: configuration, brokers: brokers, instance: instance, record: directory?.ownership, permit: permit,
            clock: clock, logger: logger)
        let replica = directory.flatMap {
            StateReplica(configuration, ownership: ownership, directory: $0, clock: clock, logger: logger)
        }
        let egress = Egress(
            client: MosquittoClient(
                configuration: .egress(
                    configuration, brokers: brokers, fence: permit, subscriptions: [discovery?.subscription].compactMap(\.self)),
                logger: logger), permit: permit)
        let keeper = try RefusedKeeper(
            configuration, settings, client: egress.client, permit: permit, directory: directory, clock: clock, logger: logger)
        let lanes = LaneRegistry(admission: Admission(policy: policy))
        let requestCounts = configuration.answersRequests ? AnsweredRequests() : nil
        let requestClient =
            configuration.answersRequests
            ? MosquittoClient(configuration: .requests(configuration, brokers: brokers, fence: permit), logger: logger) : nil
        let record = BrokerRecord(mqtt: configuration.mqtt, logger: logger)
        let status = StatusPublisher(
            template: offline, encoder: encoder, lanes: lanes, egress: egress, directory: directory, requests: requestCounts,
            broker: record, keeper: keeper, clock: clock)
        let reading = Gate()
        let handover = Handover()
        var services: [any Service] = [
            EgressService(
                ownership: ownership, egress: egress, identity: configuration.mqtt.out, status: status, discovery: discovery,
                retained: RetainedProbe(mark: status.mark, record: record, clock: clock), keeper: keeper, replica: replica,
                clock: clock,
                logger: logger),
            StatusService(
                status: status, egress: egress, intervalSeconds: configuration.gateway.statusSeconds, clock: clock),
            RegistryService(
                configuration: configuration, registry: registry, producers: producers, lanes: lanes, status: status,
                discovery: discovery, clock: clock, logger: logger),
            LaneSupervisor(
                composer: LaneComposer(
                    configuration: configuration, brokers: brokers, settings: settings, instance: instance, permit: permit,
                    handover: handover, lanes: lanes, egress: egress, status: status, directory: directory, replica: replica,
                    owesStates: keeper.owesStates, discovery: discovery, clock: clock, logger: logger),
                reading: reading, withoutState: withoutState, subscribesOnly: subscribesOnly),
            HandoverService(
                handover: handover, lanes: lanes, isDurable: directory != nil, reading: reading,
                redeliverySeconds: configuration.mqtt.redeliverySeconds, clock: clock, logger: logger),
        ]
        if let discovery {
            services.append(
                DiscoveryService(discovery: discovery, egress: egress, startDelay: startDelay, clock: clock, logger: logger))
        }
        monitor = Monitor(
            configuration: configuration, lanes: lanes, egress: egress, ownership: ownership, status: status,
            directory: directory, keeper: keeper, requestClient: requestClient, clock: clock)
        if let requestCounts, let requestClient {
            let messages: any LatestMessages =
                if let directory {
                    CommittedMessages(files: LaneFiles(folder: directory.path))
                } else {
                    AcceptedMessages(
                        lanes: lanes, egress: egress, timeoutSeconds: configuration.mqtt.publishTimeoutSeconds, clock: clock)
                }
            services.append(
                RequestService(
                    client: requestClient, configuration: configuration.requests, settings: settings, messages: messages,
                    history: directory.map { StoredHistory(files: LaneFiles(folder: $0.path)) }, lanes: lanes,
                    egress: egress.with(priority: .normal), counts: requestCounts, status: status, clock: clock, logger: logger))
        } else if configuration.requests.enabled {
            logger.info("requests are not answered: requests.account has no user name, and other connections have one")
        }
        if let directory {
            services.append(
                ErasureService(
                    requests: directory.erasures, deadLetters: directory.deadLetters, keeper: keeper, lanes: lanes,
                    settings: settings,
                    reading: reading, clock: clock, logger: logger))
        }
        // One that reads nothing needs its name, and the sessions.
        self.services = subscribesOnly ? services.filter { $0 is EgressService || $0 is LaneSupervisor } : services
        httpPort = subscribesOnly ? nil : configuration.http.port
        self.reading = reading
        self.handover = handover
        self.clock = clock
        self.logger = logger
        if configuration.mqtt.version == .v5 {
            logger.info(
                "the broker drops larger frames without any report (setting mqtt.maximumPacketBytes)",
                metadata: ["bytes": "\(configuration.mqtt.maximumPacketBytes)"])
        }
        if directory == nil {
            logger.notice("gateway.stateDirectory is not set: device state is lost when this process ends")
        }
    }

    /// Waits until the gateway reads what devices publish; false when it stopped before it did.
    package func isReading() async -> Bool { await reading.wait() }

    /// Installs the handlers that record the frame on which this process crashes, for its next start.
    package static func noteCrashes() { FrameTracer.install() }

    /// Runs until SIGTERM, SIGINT or a service fails, serves metrics and health, and notifies `manager`; returns after a clean stop. A
    /// stop that takes longer than 9 s, or 60 s where it hands devices over, ends the process.
    package func run(notifying manager: ServiceManager? = nil) async throws {
        var all = services
        if let port = httpPort {
            let service = MonitorService(
                monitor: monitor, address: monitor.configuration.http.address, port: port, logger: logger)
            let address = try await service.start()
            logger.info("metrics and health are served", metadata: ["address": "\(address)"])
            all.insert(service, at: 0)
        }
        if let manager { all.append(ServiceManagerNotices(manager: manager, monitor: monitor, reading: reading, clock: clock)) }
        let deadline = StopDeadline(handover: handover, logger: logger)
        all.append(deadline)
        defer { deadline.end() }
        try await Self.group(of: all, signals: [.sigterm, .sigint], logger: logger).run()
    }

    /// The services as one group that stops on `signals`.
    package func group(signals: [UnixSignal]) -> ServiceGroup { Self.group(of: services, signals: signals, logger: logger) }

    private static func group(of services: [any Service], signals: [UnixSignal], logger: Logger) -> ServiceGroup {
        ServiceGroup(
            configuration: .init(
                services: services.map {
                    .init(
                        service: NamedService(service: $0), successTerminationBehavior: .gracefullyShutdownGroup,
                        failureTerminationBehavior: .gracefullyShutdownGroup)
                },
                gracefulShutdownSignals: signals, logger: logger))
    }
}

/// A service whose description is its name: the group logs it, and the whole configuration would be in it otherwise.
private struct NamedService: Service, CustomStringConvertible {
    let service: any Service
    var description: String { "\(type(of: service))" }

    func run() async throws { try await service.run() }
}
