import GatewayConfiguration
import GatewayPipeline
import GatewayTestSupport
import LocalBroker
import Logging
import Mosquitto
import TelemetryModel
import Testing

@testable import GatewayRuntime

@Suite("The connection over which claims go")
struct OwnershipLinkTests {
    private let ownership: Ownership
    private let identity: GatewayConfiguration.MQTT.Identity
    private let out: MosquittoClient
    private let claims: MosquittoClient

    init() {
        let (configuration, clock, logger) = (GatewayConfiguration(), ManualClock(unix: 100), CollectedLog().logger)
        let brokers = BrokerList(host: "broker")
        identity = configuration.mqtt.out
        ownership = Ownership(
            configuration: configuration, brokers: brokers, instance: Heartbeat.Instance(id: "own", started: 0), record: nil,
            permit: Permit(clock: clock), clock: clock, logger: logger)
        out = MosquittoClient(configuration: MosquittoConfiguration(brokers: brokers, clientID: "out"), logger: logger)
        claims = MosquittoClient(configuration: MosquittoConfiguration(brokers: brokers, clientID: "claims"), logger: logger)
    }

    /// Whether claims go over `client`: only then something is due for it.
    private func isUsed(_ client: MosquittoClient) -> Bool { ownership.tick(over: client) != nil }

    @Test("the account of claims does not replace the publishing connection, and stands in for it when that ends")
    func standsIn() {
        ownership.connected(over: out, as: identity)
        ownership.connected(over: claims, as: identity, isStandIn: true)
        #expect(isUsed(out))
        #expect(!isUsed(claims))
        ownership.disconnected(out)
        #expect(isUsed(claims))
    }

    @Test("the publishing connection replaces the account of claims, whose end changes nothing then")
    func replaces() {
        ownership.connected(over: claims, as: identity, isStandIn: true)
        #expect(isUsed(claims))
        ownership.connected(over: out, as: identity)
        ownership.disconnected(claims)
        #expect(isUsed(out))
        ownership.disconnected(out)
        #expect(!isUsed(out))
        #expect(!isUsed(claims))
    }

    @Test("a certificate that is missing while it is replaced does not end a gateway: the account of claims tries again")
    func unreadableCertificate() async throws {
        var configuration = GatewayConfiguration()
        configuration.mqtt.tls.enabled = true
        configuration.mqtt.tls.caFile = "/nonexistent"
        let (clock, log) = (SystemGatewayClock(), CollectedLog())
        let ownership = Ownership(
            configuration: configuration, brokers: BrokerList(host: "127.0.0.1", port: 1),
            instance: Heartbeat.Instance(id: "own", started: 0), record: nil, permit: Permit(clock: clock), clock: clock,
            logger: log.logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [out] in try await ownership.keep(over: out) }
            group.addTask { try await eventually("the reason is known") { ownership.problem?.contains("/nonexistent") == true } }
            defer { group.cancelAll() }
            // The other task ends with an error only.
            try await group.next()
        }
    }
}
