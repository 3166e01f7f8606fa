import GatewayConfiguration
import GatewayPipeline
import Logging
import Mosquitto
import Synchronization

/// What a running gateway has found out about its brokers. It logs each lack of each broker once.
final class BrokerRecord: Sendable {
    private struct Contents {
        var retained: [String: BrokerFacts.RetainedReach] = [:]
        var logged: Set<String> = []
    }

    private let mqtt: GatewayConfiguration.MQTT
    private let logger: Logger
    private let contents = Mutex(Contents())

    init(mqtt: GatewayConfiguration.MQTT, logger: Logger) {
        self.mqtt = mqtt
        self.logger = logger
    }

    /// Records which subscriptions the broker at `address` delivers retained messages to.
    func note(_ reach: BrokerFacts.RetainedReach, of address: BrokerAddress) {
        contents.withLock { $0.retained["\(address)"] = reach }
    }

    /// Whether that is known.
    func knowsRetained(of address: BrokerAddress) -> Bool { contents.withLock { $0.retained["\(address)"] != nil } }

    /// What is known of the broker of the connection that publishes, from what the connections have counted; nil before the first.
    func report(out: MosquittoStatistics, lanes: [MosquittoStatistics]) -> BrokerReport? {
        guard let address = out.broker else { return nil }
        var facts = BrokerFacts(version: out.version, terms: out.terms)
        facts.sessionExpirySeconds = lanes.filter { $0.broker == address }.compactMap(\.terms?.sessionExpirySeconds).min()
        facts.retained = contents.withLock { $0.retained["\(address)"] }
        let lacks = facts.lacks(for: mqtt)
        log(lacks, of: address)
        return BrokerReport(facts, lacks, address: "\(address)")
    }

    private func log(_ lacks: [BrokerLack], of address: BrokerAddress) {
        // The client has logged that itself.
        for lack in lacks where lack.capability != .mqtt5 {
            guard contents.withLock({ $0.logged.insert("\(address) \(lack.text)").inserted }) else { continue }
            logger.warning(
                "the broker lacks a capability",
                metadata: ["broker": "\(address)", "capability": "\(lack.capability.rawValue)", "consequence": "\(lack.text)"])
        }
    }
}

extension BrokerReport {
    fileprivate init(_ facts: BrokerFacts, _ lacks: [BrokerLack], address: String) {
        self.init(address: address)
        sessionExpirySeconds = facts.sessionExpirySeconds.map(Int.init)
        maximumQoS = facts.terms?.maximumQoS.rawValue
        retains = facts.terms?.retains
        allowsWildcards = facts.terms?.allowsWildcards
        deliversRetainedToWildcards = facts.retained.map { $0 == .wildcards }
        self.lacks = lacks.map { Lack(capability: $0.capability.rawValue, consequence: $0.text) }
    }
}
