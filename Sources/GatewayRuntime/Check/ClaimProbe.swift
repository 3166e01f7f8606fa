import GatewayConfiguration
import GatewayPipeline
import Mosquitto
import Synchronization
import TelemetryModel

/// Asks on the topic of claims who has the gateway's name, and claims nothing.
final class ClaimProbe: Sendable {
    private static let waitSeconds = 3.0
    private static let pollSeconds = 0.02
    /// An owner answers at once.
    private static let answerSeconds = 0.3

    private let configuration: GatewayConfiguration
    private let token: String
    private let clock: any GatewayClock
    private let claims = Mutex<[Claim]>([])

    /// A probe that calls itself `token`.
    init(configuration: GatewayConfiguration, token: String, clock: any GatewayClock) {
        self.configuration = configuration
        self.token = token
        self.clock = clock
    }

    /// Takes what is delivered.
    var handler: any DeliveryHandler {
        ImmediateHandler { messages in
            self.claims.withLock { $0 += messages.filter { !$0.retain }.compactMap { Claim($0.payload) } }
        }
    }

    /// The claim of a gateway that runs; nil for none.
    var owner: Claim? { claims.withLock { $0.first { $0.instance != token && $0.state == .owned } } }

    /// Asks over a connection, and reports what came back.
    func run(over client: MosquittoClient) async -> [Finding] {
        let claim = Claim(
            instance: token, epoch: 0, number: 0, state: .looking, host: "fathom check", started: clock.now.unix.seconds)
        let ticket = client.enqueue([claim.message(gateway: configuration.gateway.name)], priority: .control)
        try? await Egress(client: client).settle(ticket, within: Self.waitSeconds, clock: clock)
        if let refusal = client.expendableRefusal(of: .control) {
            return [Finding(.problem, "mqtt.claim", "may not claim the gateway's name: \(refusal); \(advice)")]
        }
        let deadline = clock.now.monotonic + Self.waitSeconds
        while !isDelivered, clock.now.monotonic < deadline {
            do { try await clock.sleep(seconds: Self.pollSeconds) } catch { return [] }
        }
        guard isDelivered else {
            return [Finding(.problem, "mqtt.claim", "the broker does not deliver the claim of the gateway's name: \(advice)")]
        }
        try? await clock.sleep(seconds: Self.answerSeconds)
        guard let owner else { return [Finding(.ok, "mqtt.claim", "may claim the name \(configuration.gateway.name)")] }
        let other = NameTaken(name: configuration.gateway.name, owner: owner)
        return [
            Finding(.problem, "gateway.name", "\(other); nothing else was checked: it would take over its connections")
        ]
    }

    private var isDelivered: Bool { claims.withLock { $0.contains { $0.instance == token } } }

    private var advice: String {
        ClaimAccess.advice(for: configuration[configuration.claimAccount], of: configuration)
    }
}
