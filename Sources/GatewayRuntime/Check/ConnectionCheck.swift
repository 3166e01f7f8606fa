package import GatewayConfiguration
package import GatewayPipeline
import Logging
import Mosquitto
import Synchronization
import TelemetryModel

/// Tries what the gateway needs of its broker and its disk: accounts, subscriptions, deliveries, rights to publish, state directory, key-value store.
///
/// It uses the gateway's own sessions, acknowledges only messages of its own, and publishes only messages that expire within seconds,
/// none of them retained. A gateway with the same accounts must not run meanwhile.
package struct ConnectionCheck: Sendable {
    private static let connectSeconds = 5.0
    /// How long the broker may take to end the sessions of the check.
    private static let endSeconds = 60.0

    let configuration: GatewayConfiguration
    let producers: Producers
    let clock: any GatewayClock
    let logger = Logger(label: "check") { _ in SwiftLogNoOpLogHandler() }
    /// What the connections have shown.
    private let observed = Observations()

    /// A check of a configuration that was loaded without problems.
    package init(
        configuration: GatewayConfiguration, producers: Producers = Producers(), clock: any GatewayClock = SystemGatewayClock()
    ) {
        self.configuration = configuration
        self.producers = producers
        self.clock = clock
    }

    /// Everything that was found, in the order of the checks.
    package func run() async -> [Finding] {
        let directory = StateDirectory.check(configuration.gateway.stateDirectory)
        if directory.isInUse { return [directory.finding] }
        return [directory.finding] + (await keyValue()) + (await checkBrokers())
    }

    private func checkBrokers() async -> [Finding] {
        let brokers = BrokerList(configuration.mqtt).addresses
        guard brokers.count > 1 else {
            let claim = await claim()
            return claim.findings + (claim.isTaken ? [] : await checkConnections())
        }
        return await check(brokers)
    }

    /// Tries to claim the name at each broker, and everything else at the first that can be reached.
    private func check(_ brokers: [BrokerAddress]) async -> [Finding] {
        var findings: [Finding] = []
        var first: ConnectionCheck?
        for broker in brokers {
            var only = configuration
            only.mqtt.host = "\(broker)"
            let check = ConnectionCheck(configuration: only, producers: producers, clock: clock)
            let claim = await check.claim()
            findings += claim.findings.map { finding in
                guard finding.verdict == .problem else { return finding }
                return Finding(.problem, finding.subject, "\(broker): \(finding.message)")
            }
            if claim.isTaken { return findings }
            if claim.findings.contains(where: { $0.verdict == .ok }), first == nil { first = check }
        }
        return findings + (await first?.checkConnections() ?? [])
    }

    private func checkConnections() async -> [Finding] {
        await connections() + abilities() + endSessions()
    }

    /// What the broker does, where the account that publishes can connect.
    private func abilities() async -> [Finding] {
        let connections = observed.facts.withLock(\.self)
        guard let version = connections.version else { return [] }
        let probe = BrokerProbe(configuration: configuration, version: version, clock: clock, logger: logger)
        return await probe.run().findings(for: configuration, connections: connections, advice: probe.advice)
    }

    /// Ends what the check has made: the first start would take a session that the broker has kept for one of an earlier gateway.
    private func endSessions() async -> [Finding] {
        let sessions = LanePlan.lanes(of: configuration).filter { plan in observed.made.withLock { $0.contains(plan.name) } }.map
        {
            KeptSession(connection: MosquittoConfiguration.ingress(configuration, [$0], producers: producers), logger: logger)
        }
        return await KeptSession.end(sessions, within: Self.endSeconds, on: clock).map { session in
            Finding(
                .problem, "broker",
                "does not end the session \(session.connection.clientID) that this check has made, and a start would refuse it: remove "
                    + "it there")
        }
    }

    /// Whether the gateway's name can be claimed, and whether a gateway has it: the check would take over its connections.
    private func claim() async -> (findings: [Finding], isTaken: Bool) {
        let account = configuration.claimAccount
        let token = String(UInt64.random(in: .min ... .max), radix: 36)
        let connection = MosquittoConfiguration.claiming(configuration, instance: token)
        let advice = ConnectionAdvice(configuration: configuration, path: account.path, identity: configuration[account])
        let received = ClaimProbe(configuration: configuration, token: token, clock: clock)
        let findings = await connected(connection, path: "mqtt.claim", advice: advice, handler: { received.handler }) { client in
            await received.run(over: client)
        } otherwise: {
            []
        }
        return (findings, received.owner != nil)
    }

    private func connections() async -> [Finding] {
        var connection = MosquittoConfiguration.publishing(configuration)
        connection.cleanStart = true
        connection.sessionExpirySeconds = 0
        let out = GatewayConfiguration.Account.out.path
        let advice = ConnectionAdvice(configuration: configuration, path: out, identity: configuration.mqtt.out)
        return await connected(connection, path: out, advice: advice) { client in
            observed.facts.withLock { ($0.version, $0.terms) = (client.statistics.version, client.statistics.terms) }
            let probe = PublishProbe(configuration: configuration, client: client, clock: clock)
            var findings = await probe.rights()
            if configuration.homeAssistant.discovery { findings += await probe.discovery() }
            for plan in LanePlan.lanes(of: configuration) { findings += await check(plan, publishing: probe) }
            return findings + (await sharing()) + (await requests())
        } otherwise: {
            // Without it deliveries cannot be tried; the other accounts can.
            var findings: [Finding] = []
            for plan in LanePlan.lanes(of: configuration) { findings += await check(plan, publishing: nil) }
            return findings + (await requests())
        }
    }

    private func check(_ plan: LanePlan, publishing probe: PublishProbe?) async -> [Finding] {
        let connection = MosquittoConfiguration.ingress(configuration, [plan], producers: producers)
        let identity = configuration.identity(of: plan.name)
        let own = configuration.lanes[plan.name].account
        let path = GatewayConfiguration.Account.lane(own == identity ? plan.name : .safety).path
        let advice = ConnectionAdvice(configuration: configuration, path: path, identity: identity)
        let deliveries = ProbeHandler.Deliveries(own: probe?.payload ?? [])
        return await connected(connection, path: "lanes.\(plan.name.rawValue)", advice: advice, deliveries) { client in
            if client.state == .connected(sessionPresent: false) { observed.made.withLock { _ = $0.insert(plan.name) } }
            if let granted = client.statistics.terms?.sessionExpirySeconds {
                observed.facts.withLock { $0.sessionExpirySeconds = min($0.sessionExpirySeconds ?? granted, granted) }
            }
            guard let probe else { return [] }
            return await probe.deliveries(to: plan, identity: identity, deliveries)
                + probe.deliveries(of: producers, to: plan, identity: identity, deliveries)
        } otherwise: {
            []
        }
    }

    private func requests() async -> [Finding] {
        guard configuration.answersRequests else { return [] }
        let path = GatewayConfiguration.Account.requests.path
        let advice = ConnectionAdvice(configuration: configuration, path: path, identity: configuration.requests.account)
        return await connected(.requests(configuration), path: "requests", advice: advice, ProbeHandler.Deliveries(own: [])) {
            client in
            await PublishProbe(configuration: configuration, client: client, clock: clock).replies()
        } otherwise: {
            []
        }
    }

    /// Connects, reports the outcome, and runs `body` while connected, else `otherwise`.
    private func connected(
        _ connection: MosquittoConfiguration, path: String, advice: ConnectionAdvice,
        _ deliveries: ProbeHandler.Deliveries? = nil, handler: (@Sendable () -> any DeliveryHandler)? = nil,
        _ body: @Sendable @escaping (MosquittoClient) async -> [Finding],
        otherwise: @Sendable @escaping () async -> [Finding]
    ) async -> [Finding] {
        var limited = connection
        limited.connectTimeoutSeconds = Self.connectSeconds
        limited.drainTimeoutSeconds = 1
        let client = MosquittoClient(configuration: limited, logger: logger)
        let count = connection.subscriptions.count
        return await withTaskGroup(of: [Finding].self) { group in
            group.addTask {
                if let deliveries {
                    try? await client.run { ProbeHandler(deliveries) }
                } else {
                    try? await client.run(handler)
                }
                return []
            }
            group.addTask {
                let outcome = await client.firstOutcome()
                if let outcome {
                    await client.stop()
                    let text = (["\(outcome)"] + [advice.text(for: outcome)].compactMap(\.self)).joined(separator: "; ")
                    return [Finding(.problem, path, text)] + (await otherwise())
                }
                let account = connection.username.map { " as \($0)" } ?? ""
                let granted = count == 0 ? "" : ", \(count) subscription\(count == 1 ? "" : "s") granted at QoS 1"
                let findings = await body(client)
                await client.stop()
                let isOld = connection.version == .v5 && client.statistics.version == .v311
                let version = isOld ? " with MQTT 3.1.1, as the broker refuses MQTT 5" : ""
                let text = "connected to \(configuration.mqtt.brokerNames)\(account)\(version)\(granted)"
                return [Finding(.ok, path, text)] + findings
            }
            return await group.reduce([], +)
        }
    }

    /// Whether lanes that share an account can be connected at the same time.
    private func sharing() async -> [Finding] {
        guard let (first, second) = LanePlan.ofOneAccount(LanePlan.lanes(of: configuration), in: configuration) else { return [] }
        let check = AccountCheck(
            first: .ingress(configuration, [first], producers: producers),
            second: .ingress(configuration, [second], producers: producers), clock: clock, logger: logger)
        guard await !check.allowsBoth() else { return [] }
        let isSet = configuration.lanes[second.name].account.isNamed
        return [
            Finding(
                .note, "lanes.\(second.name.rawValue).account",
                "\(isSet ? "is that of lanes.\(first.name.rawValue)" : "is not set"), and the broker allows an account one "
                    + "connection: all lanes will share one, where a depth alarm waits behind motion data")
        ]
    }
}

/// What the connections of a check have shown, for several tasks.
private final class Observations: Sendable {
    /// The lanes whose sessions the check has made.
    let made = Mutex<Set<GatewayConfiguration.Lanes.Name>>([])
    /// What CONNACK grants.
    let facts = Mutex(BrokerFacts())
}

extension MosquittoClient {
    /// Why the first attempt to connect failed; nil when it succeeded.
    fileprivate func firstOutcome() async -> DisconnectReason? {
        for await state in stateChanges() {
            switch state {
            case .connecting: continue
            case .connected: return nil
            case .disconnected(let reason): return reason
            case .stopped: return .connectFailed(MosquittoError(origin: .client, reason: "the connection cannot be configured"))
            }
        }
        return .timedOut
    }
}
