import GatewayPipeline
import Mosquitto
import Synchronization

/// Tries, while the gateway runs, whether its broker delivers retained messages to a new subscription with a wildcard: with the gateway's own
/// status, on the connection that publishes, at QoS 0. Nothing waits for it.
final class RetainedProbe: Sendable {
    private static let tickSeconds = 0.1

    private let mark: StatusMark
    private let record: BrokerRecord
    private let clock: any GatewayClock
    private let trial = Mutex<RetainedTrial?>(nil)

    /// A probe with the status of one run.
    init(mark: StatusMark, record: BrokerRecord, clock: any GatewayClock) {
        (self.mark, self.record, self.clock) = (mark, record, clock)
    }

    /// Takes what the connection delivers.
    func receive(_ messages: [MQTTMessage]) {
        guard messages.contains(where: { $0.retain && $0.topic == mark.topic }) else { return }
        trial.withLock { $0?.received() }
    }

    /// Tries it, unless it is known of this broker; true when it has become known. The status has been published on `egress`.
    func run(over egress: Egress) async -> Bool {
        let client = egress.client
        guard let broker = client.statistics.broker, !record.knowsRetained(of: broker), let ticket = egress.lastTicket else {
            return false
        }
        let connection = client.statistics.connections
        do {
            try await client.settled(ticket)
            trial.withLock { [now = clock.now.monotonic] in $0 = RetainedTrial(at: now) }
            var step = RetainedTrial.Step.settling
            while step != .over {
                try await clock.sleep(seconds: Self.tickSeconds)
                guard client.state.isConnected, client.statistics.connections == connection else { return false }
                let next = trial.withLock { [now = clock.now.monotonic] trial in
                    trial?.tick(at: now)
                    return trial?.step ?? .over
                }
                if next != step { change(to: next, from: step, over: client) }
                step = next
            }
        } catch {
            return false
        }
        guard let reach = trial.withLock({ $0?.reach }) else { return false }
        record.note(reach, of: broker)
        return true
    }

    private func change(to next: RetainedTrial.Step, from step: RetainedTrial.Step, over client: MosquittoClient) {
        if step == .wildcard { client.change(.unsubscribe(Self.filter)) }
        switch next {
        case .wildcard: client.change(.subscribe(.init(Self.filter, qos: .atMostOnce)))
        // The connection has this subscription: made again, it brings the retained message again.
        case .exact: client.change(.subscribe(.init(mark.topic, qos: .atMostOnce)))
        case .settling, .over: break
        }
    }

    private static let filter = "fathom/+/status"
}
