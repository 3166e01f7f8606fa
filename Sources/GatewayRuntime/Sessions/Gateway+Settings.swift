package import GatewayConfiguration
package import GatewayPipeline
package import Mosquitto
import TelemetryModel

extension PipelineSettings {
    /// The settings of the pipeline, from the configuration and the producers.
    package init(_ configuration: GatewayConfiguration, producers: Producers = Producers()) throws(GatewayError) {
        guard let name = Identifier(configuration.gateway.name) else {
            throw GatewayError("gateway.name must be 1 to 64 of A-Z, a-z, 0-9, '_' and '-'")
        }
        self.init(gateway: name)
        self.producers = producers
        topics = TopicLayout(
            root: configuration.gateway.root,
            mountLevels: configuration.gateway.mountPrefix?.split(separator: "/", omittingEmptySubsequences: false).count ?? 0)
        configurationFingerprint = configuration.deriveFingerprint
        let limits = configuration.limits
        decode.maximumPayloadBytes = limits.maximumPayloadBytes
        intake.reorderSeconds = limits.reorderSeconds
        intake.submersionReorderSeconds = limits.submersionReorderSeconds
        intake.reorderFrames = limits.reorderFrames
        intake.redeliverySeconds = configuration.mqtt.redeliverySeconds
        intake.futureSkewSeconds = limits.futureSkewSeconds
        intake.clockStepSeconds = limits.clockStepSeconds
        unregisteredDevices = limits.unregisteredDevices
        intake.bootSilenceSeconds = configuration.derive[SubmersionDerivation.self].staleSeconds
        idleStateSeconds = configuration.gateway.idleStateSeconds
        maximumAgeSeconds = limits.maximumAgeSeconds
        rejectedPerSecond = limits.rejectedPerSecond
        publishesCommitted = configuration.gateway.publishCommitted
        hasEventProperties = configuration.mqtt.eventProperties
        droppableKinds = Set(configuration.mqtt.qos0Kinds.names)
        derive = configuration.derive
        history.isStored = configuration.gateway.stateDirectory != nil
        history.windowHours = configuration.history.windowHours
        history.reportSeconds = configuration.history.reportSeconds
        history.days = configuration.history.days
        budget = BudgetSettings(configuration)
        fusesMagneticField = configuration.normalize.fusion.magnetometer
    }
}

extension BudgetSettings {
    fileprivate init(_ configuration: GatewayConfiguration) {
        self.init()
        unitsPerSecond = configuration.limits.device.unitsPerSecond
        historyUnitsPerSecond = configuration.history.unitsPerSecond
        for lane in GatewayConfiguration.Lanes.Name.allCases {
            for stream in lane.streams { self[stream] = lane.budget }
        }
    }
}

extension GatewayConfiguration.Lanes.Name {
    /// What counts the streams of the lane.
    fileprivate var budget: BudgetName {
        switch self {
        case .safety: .safety
        case .motion: .motion
        case .bulk: .bulk
        }
    }
}

extension BrokerList {
    /// The brokers of `mqtt.host`.
    package convenience init(_ mqtt: GatewayConfiguration.MQTT) {
        self.init(mqtt.brokers.map { BrokerAddress(host: $0.host, port: UInt16(clamping: $0.port)) })
    }
}

extension GatewayConfiguration.MQTT {
    /// The addresses of the brokers, for logs and messages.
    package var brokerNames: String { BrokerList(self).addresses.map(\.description).joined(separator: ", ") }
}

extension MosquittoConfiguration {
    /// The connection that reads what devices publish for `lanes`, which have one session: that of the first.
    package static func ingress(
        _ configuration: GatewayConfiguration, _ lanes: [LanePlan], producers: Producers = Producers(), brokers: BrokerList? = nil
    ) -> Self {
        var plan = lanes[0]
        for other in lanes.dropFirst() { plan.share.formUnion(other.share) }
        let lane = plan.name
        var connection = base(
            configuration, configuration.account(of: lane), clientID: configuration.sessionID(of: lane), brokers: brokers)
        let heartbeats = lanes.map { Heartbeat.topic(gateway: configuration.gateway.name, lane: $0.name.rawValue) }
        let advice = HeartbeatAccess.advice(HeartbeatAccess.reading, for: configuration.identity(of: lane))
        connection.subscriptions =
            plan.filters(of: configuration, producers: producers).map { Subscription($0) }
            + heartbeats.map { Subscription($0, adviceIfRefused: advice) }
        connection.threadName = "mqtt-\(lane.rawValue)"
        connection.gatherMilliseconds = plan.gatherMilliseconds
        return connection
    }

    /// A connection that reads everything devices publish, with the account of `fathom record`.
    package static func tap(
        _ configuration: GatewayConfiguration, producers: Producers = Producers()
    ) throws(GatewayError) -> Self {
        var connection = try beside(configuration, as: .record)
        var plan = LanePlan(.safety, in: configuration)
        plan.share = .whole
        let filters = plan.filters(of: configuration, producers: producers)
        connection.subscriptions = filters.map { Subscription($0) }
        return connection
    }

    /// The connection that claims the gateway's name, under a client id of its own for each run.
    static func claiming(_ configuration: GatewayConfiguration, instance: String, brokers: BrokerList? = nil) -> Self {
        var connection = base(
            configuration, configuration.claimAccount, clientID: "\(configuration.clientID(of: .claim))-\(instance)",
            brokers: brokers)
        connection.cleanStart = true
        connection.sessionExpirySeconds = 0
        connection.subscriptions = [claims(configuration, of: configuration[configuration.claimAccount])]
        // Where two newcomers have one account, each has to see the other's claim.
        connection.backOff.takenOverSeconds = claimTakenOverSeconds
        connection.drainTimeoutSeconds = claimDrainSeconds
        connection.threadName = "mqtt-claim"
        return connection
    }

    private static let claimTakenOverSeconds = 0.3
    private static let claimDrainSeconds = 0.5

    /// The gateway's claims. A missed one is repeated.
    private static func claims(
        _ configuration: GatewayConfiguration, of identity: GatewayConfiguration.MQTT.Identity
    ) -> Subscription {
        Subscription(
            Claim.topic(gateway: configuration.gateway.name), qos: .atMostOnce,
            adviceIfRefused: ClaimAccess.advice(for: identity, of: configuration))
    }

    /// The connection that publishes derived messages.
    static func egress(
        _ configuration: GatewayConfiguration, brokers: BrokerList, fence: any ConnectionFence, subscriptions: [Subscription] = []
    ) -> Self {
        var connection = publishing(configuration, brokers: brokers)
        let status = "fathom/\(configuration.gateway.name)/status"
        connection.subscriptions =
            [claims(configuration, of: configuration.mqtt.out), Subscription(status, qos: .atMostOnce, isRequired: false)]
            + subscriptions
        connection.fence = fence
        connection.cleanStart = true
        connection.sessionExpirySeconds = 0
        connection.threadName = "mqtt-out"
        return connection
    }

    /// The connection that receives and answers requests. What was published while it was away is not delivered: nobody waits for it any
    /// more.
    static func requests(
        _ configuration: GatewayConfiguration, brokers: BrokerList? = nil, fence: (any ConnectionFence)? = nil
    ) -> Self {
        var connection = base(
            configuration, .requests, clientID: configuration.clientID(of: .requests), brokers: brokers)
        let advice = HeartbeatAccess.advice(RequestAccess.reading, for: configuration.requests.account)
        connection.subscriptions = configuration.gateway.prefixes.map { Subscription("\($0)/+/query/#", adviceIfRefused: advice) }
        connection.fence = fence
        connection.readsRequestProperties = true
        connection.cleanStart = true
        connection.sessionExpirySeconds = 0
        connection.threadName = "mqtt-query"
        connection.niceness = RequestAccess.niceness
        return connection
    }

    /// A connection with the account of `mqtt.out`.
    package static func publishing(_ configuration: GatewayConfiguration, brokers: BrokerList? = nil) -> Self {
        base(configuration, .out, clientID: configuration.clientID(of: .out), brokers: brokers)
    }

    /// A connection that reads what gateways publish, with the account of the page or of the terminal view; its session ends with it.
    /// Where the broker refuses one of the `optional` topics, it goes on without.
    package static func viewing(
        _ configuration: GatewayConfiguration, as account: GatewayConfiguration.Account, optional: [String] = []
    ) throws(GatewayError) -> Self {
        var connection = try beside(configuration, as: account)
        connection.subscriptions =
            ["\(configuration.gateway.root)/+/out/#", "fathom/+/status", "fathom/+/rejected"]
            .map { Subscription($0) } + optional.map { Subscription($0, isRequired: false) }
        connection.threadName = "mqtt-view"
        return connection
    }

    /// The connection that reads alarms for `fathom notify`. The broker keeps its session, and what is published meanwhile.
    package static func notifying(_ configuration: GatewayConfiguration) throws(GatewayError) -> Self {
        var connection = try beside(configuration, as: .notify)
        connection.cleanStart = false
        connection.sessionExpirySeconds = UInt32(
            clamping: max(configuration.mqtt.sessionExpirySeconds, leastNoticeExpirySeconds))
        connection.receiveMaximum = noticeWindow
        connection.subscriptions = [Subscription("\(configuration.gateway.root)/+/out/alarm/#")]
        connection.threadName = "mqtt-notify"
        return connection
    }

    /// How many alarm messages the broker sends before it waits for acknowledgements.
    static let noticeWindow: UInt16 = 100
    /// A week: alarms of a weekend on which the program did not run are not lost.
    private static let leastNoticeExpirySeconds = 7 * 86_400

    /// A connection of a program beside the gateway, with the account of that program; its session ends with it.
    package static func beside(
        _ configuration: GatewayConfiguration, as account: GatewayConfiguration.Account
    ) throws(GatewayError) -> Self {
        var configuration = configuration
        let identity = configuration[account]
        if identity.password == nil, let file = identity.passwordFile {
            do throws(SettingFault) { configuration[account].password = try Secret.read(file) } catch {
                throw GatewayError("\(account.path).passwordFile: \(file) \(error.message)")
            }
        }
        var connection = base(configuration, account, clientID: configuration.clientID(of: account))
        connection.cleanStart = true
        connection.sessionExpirySeconds = 0
        return connection
    }

    /// How long a connection of the gateway may take to end when it stops, in seconds: a stop lasts less than 10 s in all.
    private static let drainSeconds = 2.5

    /// The common configuration of all connections, with the account of one of them. Connections with one `brokers` use one broker.
    private static func base(
        _ configuration: GatewayConfiguration, _ account: GatewayConfiguration.Account, clientID: String,
        brokers: BrokerList? = nil
    ) -> Self {
        let mqtt = configuration.mqtt
        let identity = configuration[account]
        var connection = MosquittoConfiguration(brokers: brokers ?? BrokerList(mqtt), clientID: clientID)
        connection.version = mqtt.version == .v5 ? .v5 : .v311
        connection.username = identity.username
        connection.password = identity.password?.reveal
        connection.adviceIfAccountRefused =
            ConnectionAdvice(
                configuration: configuration, path: account.path, identity: identity
            ).account
        connection.drainTimeoutSeconds = drainSeconds
        if let authorities = mqtt.tls.authorities {
            connection.tls = MosquittoTLS(
                caFile: authorities, certificateFile: identity.certificateFile, keyFile: identity.keyFile)
        }
        connection.keepAliveSeconds = mqtt.keepAliveSeconds
        connection.sessionExpirySeconds = UInt32(clamping: mqtt.sessionExpirySeconds)
        connection.receiveMaximum = UInt16(clamping: mqtt.receiveMaximum)
        connection.maximumPacketSize = UInt32(clamping: mqtt.maximumPacketBytes)
        connection.publishWindow = mqtt.publishWindow
        connection.batchMilliseconds = mqtt.batchMilliseconds
        connection.backOff = BackOff(
            initialSeconds: mqtt.reconnect.initialSeconds, maximumSeconds: mqtt.reconnect.maximumSeconds)
        return connection
    }
}
