import GatewayConfiguration
import GatewayPipeline
import JSONText
import Logging
import Mosquitto
import Synchronization

/// Carries out a `BrokerTrial`: the session with the account of `mqtt.out`, and what is published with that of `mqtt.claim`.
///
/// The session is that of the gateway's publishing connection, which begins anew at every start: nothing is lost by it. Where the
/// account is the client id, as on mosquitto, the session of a lane would lose what is queued in it, and the publishing account
/// must be another one.
final class BrokerProbe: Sendable {
    private static let tickSeconds = 0.02
    private static let settleSeconds = 8.0
    private static let connectSeconds = 5.0
    /// How long the broker keeps what a check leaves that is killed.
    private static let leftSeconds: UInt32 = 60

    private let configuration: GatewayConfiguration
    private let version: MosquittoConfiguration.ProtocolVersion?
    private let clock: any GatewayClock
    private let logger: Logger
    /// What makes this check's messages recognisable.
    private let token = String(UInt64.random(in: .min ... .max), radix: 36)
    private let trial: Mutex<BrokerTrial>

    /// A probe over connections with a protocol version that is known; nil for that of the configuration.
    init(
        configuration: GatewayConfiguration, version: MosquittoConfiguration.ProtocolVersion?, clock: any GatewayClock,
        logger: Logger
    ) {
        self.configuration = configuration
        self.version = version
        self.clock = clock
        self.logger = logger
        trial = Mutex(
            BrokerTrial(
                permitted: Self.permitted(configuration.mqtt),
                mayExpire: version.map { $0 == .v5 } ?? (configuration.mqtt.version == .v5), at: clock.now.monotonic))
    }

    /// How many unacknowledged frames the gateway wants; more than this many are not tried.
    private static func permitted(_ mqtt: GatewayConfiguration.MQTT) -> Int { min(LanePlan.window(of: mqtt), 500) }

    /// Tries everything, and removes what that has made. Some seconds, or 40 where frames come again late.
    func run() async -> BrokerTrial {
        while !Task.isCancelled, let visit = trial.withLock(\.visit) { await make(visit) }
        return trial.withLock(\.self)
    }

    private func make(_ visit: BrokerTrial.Visit) async {
        let client = MosquittoClient(configuration: connection(for: visit), logger: logger)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                if visit.publishes { try? await client.run() } else { try? await client.run { self.handler(for: visit) } }
            }
            group.addTask { [self] in
                for await state in client.stateChanges() { await note(state, of: visit, client) }
            }
            group.addTask { [self] in
                while wants(visit) {
                    do { try await clock.sleep(seconds: Self.tickSeconds) } catch { break }
                    report(.tick, of: visit)
                }
                await client.stop()
            }
        }
    }

    private func wants(_ visit: BrokerTrial.Visit) -> Bool { trial.withLock { $0.visit == visit } }

    private func report(_ event: BrokerTrial.Event, of visit: BrokerTrial.Visit) {
        let now = clock.now.monotonic
        trial.withLock { if $0.visit == visit { $0.handle(event, at: now) } }
    }

    private func note(_ state: Mosquitto.ConnectionState, of visit: BrokerTrial.Visit, _ client: MosquittoClient) async {
        switch state {
        case .connected(let sessionPresent):
            report(.connected(sessionPresent: sessionPresent), of: visit)
            if visit.publishes { await publish(over: client, for: visit) }
        case .disconnected(let reason): report(.failed("\(reason)"), of: visit)
        case .stopped: report(.failed("the connection cannot be configured"), of: visit)
        case .connecting: break
        }
    }

    // MARK: Connections

    private func connection(for visit: BrokerTrial.Visit) -> MosquittoConfiguration {
        var connection =
            visit.publishes
            ? MosquittoConfiguration.claiming(configuration, instance: token) : .publishing(configuration)
        connection.version = version ?? connection.version
        connection.connectTimeoutSeconds = Self.connectSeconds
        connection.drainTimeoutSeconds = 1
        connection.subscriptions = []
        guard !visit.publishes else { return connection }
        let isEnding = visit == .wipe || visit == .end
        connection.cleanStart = isEnding
        connection.sessionExpirySeconds = isEnding ? 0 : Self.leftSeconds
        connection.receiveMaximum = UInt16(clamping: Self.permitted(configuration.mqtt))
        // Only what is new in a visit: a subscription that is made again brings its retained messages again.
        switch visit {
        case .begin: connection.subscriptions = [.init(topic("+")), .init(frameTopic)]
        case .readExactly: connection.subscriptions = [.init(retainedTopic)]
        case .count, .resume: connection.subscriptions = [.init(frameTopic)]
        case .readExpired: connection.subscriptions = [.init(expiringTopic), .init(retainedTopic)]
        default: break
        }
        return connection
    }

    private func topic(_ level: String) -> String { "fathom/\(configuration.gateway.name)/check/\(level)" }

    private var retainedTopic: String { topic("retained") }

    /// Not matched by the wildcard.
    private var expiringTopic: String { topic("session/expiring") }

    private var frameTopic: String { topic("session/frame") }

    // MARK: Messages

    private func publish(over client: MosquittoClient, for visit: BrokerTrial.Visit) async {
        do {
            let ticket = client.enqueue(messages(for: visit), priority: .urgent)
            try await Egress(client: client).settle(ticket, within: Self.settleSeconds, clock: clock)
        } catch {
            return report(.failed("the broker does not answer a publish on \(topic("#"))"), of: visit)
        }
        guard let refusal = client.expendableRefusal(of: .urgent) else { return report(.published, of: visit) }
        report(.failed("\(configuration.claimAccount.path) may not publish on \(topic("#")): \(refusal); \(advice)"), of: visit)
    }

    /// The line of the broker's ACL without which nothing can be tried.
    var advice: String {
        ClaimAccess.advice(CheckAccess.line, for: configuration[configuration.claimAccount], of: configuration)
    }

    private func messages(for visit: BrokerTrial.Visit) -> [MQTTMessage] {
        switch visit {
        case .publishRetained:
            [
                message(retainedTopic, payload(frame: nil), retain: true),
                message(expiringTopic, payload(frame: nil), retain: true, expirySeconds: BrokerTrial.expirySeconds),
            ]
        case .publishFrames:
            (0..<trial.withLock(\.frameCount)).map { message(frameTopic, payload(frame: $0), retain: false) }
        case .clear: [retainedTopic, expiringTopic].map { message($0, [], retain: true) }
        case .wipe, .begin, .readExactly, .count, .resume, .readExpired, .end: []
        }
    }

    private func message(
        _ topic: String, _ payload: [UInt8], retain: Bool, expirySeconds: UInt32 = leftSeconds
    ) -> MQTTMessage {
        var message = MQTTMessage(topic: topic, payload: payload, retain: retain)
        message.messageExpirySeconds = payload.isEmpty ? nil : expirySeconds
        message.isExpendable = true
        return message
    }

    private func payload(frame: Int?) -> [UInt8] {
        JSONWriter.object { json in
            json.field("check", token)
            if let frame { json.field("frame", frame) }
        }
    }

    private func handler(for visit: BrokerTrial.Visit) -> TrialHandler {
        TrialHandler(acknowledges: visit != .count) { [self] message in
            guard let members = try? JSONSplitter().split(message.payload[...], "check", "frame"), members[0]?.text == token
            else { return }
            if let number = members[1]?.number.flatMap(Int.init(exactly:)) {
                report(.frame(number), of: visit)
            } else if message.retain {
                report(message.topic == expiringTopic ? .expiring : .retained, of: visit)
            }
        }
    }
}

/// Passes messages on, and acknowledges all of them or none.
private final class TrialHandler: DeliveryHandler {
    private let acknowledges: Bool
    private let take: (MQTTMessage) -> Void

    init(acknowledges: Bool, _ take: @escaping (MQTTMessage) -> Void) {
        self.acknowledges = acknowledges
        self.take = take
    }

    func receive(_ messages: [MQTTMessage]) { for message in messages { take(message) } }

    func review(isStopping: Bool) -> DeliveryDecision {
        DeliveryDecision(acknowledges ? .write : isStopping ? .release : .hold)
    }
}

/// The line of the broker's ACL that trying the broker needs, as it stands in `config/acl`.
enum CheckAccess {
    /// For the account of claims; that of `mqtt.out` needs more.
    static let line = "topic write fathom/+/check/#"
}
