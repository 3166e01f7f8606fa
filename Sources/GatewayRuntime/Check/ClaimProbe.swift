import GatewayConfiguration
import GatewayPipeline
import Mosquitto
import Synchronization
import TelemetryModel

/// Asks on the topic of claims who has the gateway's name, and claims nothing.
final class ClaimProbe: Sendable {
    private static let waitSeconds = 3.0

    private let configuration: GatewayConfiguration
    private let token: String
    private let clock: any GatewayClock
    private let claims = Mutex<(live: [Claim], retained: [Claim])>(([], []))

    /// A probe that calls itself `token`.
    init(configuration: GatewayConfiguration, token: String, clock: any GatewayClock) {
        self.configuration = configuration
        self.token = token
        self.clock = clock
    }

    /// Takes what is delivered.
    var handler: any DeliveryHandler {
        ImmediateHandler { messages in
            for message in messages {
                guard let claim = Claim(message.payload) else { continue }
                self.claims.withLock { message.retain ? $0.retained.append(claim) : $0.live.append(claim) }
            }
        }
    }

    /// The claim of a gateway that runs; nil for none.
    var owner: Claim? { claims.withLock { $0.live.first { $0.instance != token && $0.state == .owned } } }

    /// How long an owner may take to show itself: it renews its claim, and does not answer just after that. Where a claim is retained it may be
    /// without a connection, and has the name until another may take it.
    private var answerSeconds: Double {
        let mayBeAway = claims.withLock { $0.retained.contains { $0.state == .owned } }
        return mayBeAway ? ClaimContest.silenceSeconds : 2 * ClaimContest.renewSeconds
    }

    /// Asks over a connection, and reports what came back.
    func run(over client: MosquittoClient) async -> [Finding] {
        let claim = Claim(
            instance: token, epoch: 0, number: 0, state: .looking, host: "fathom check", started: clock.now.unix.seconds)
        let ticket = client.enqueue([claim.message(gateway: configuration.gateway.name)], priority: .control)
        try? await Egress(client: client).settle(ticket, within: Self.waitSeconds, clock: clock)
        if let refusal = client.expendableRefusal(of: .control) {
            return [Finding(.problem, "mqtt.claim", "may not claim the gateway's name: \(refusal); \(advice)")]
        }
        do {
            guard try await clock.wait(within: Self.waitSeconds, until: { isDelivered }) else {
                return [Finding(.problem, "mqtt.claim", "the broker does not deliver the claim of the gateway's name: \(advice)")]
            }
            try await clock.wait(within: answerSeconds) { owner != nil }
        } catch {
            return []
        }
        guard let owner else { return [Finding(.ok, "mqtt.claim", "may claim the name \(configuration.gateway.name)")] }
        let other = NameTaken(name: configuration.gateway.name, owner: owner)
        return [
            Finding(.problem, "gateway.name", "\(other); nothing else was checked: it would take over its connections")
        ]
    }

    private var isDelivered: Bool { claims.withLock { $0.live.contains { $0.instance == token } } }

    private var advice: String {
        ClaimAccess.advice(for: configuration[configuration.claimAccount], of: configuration)
    }
}
