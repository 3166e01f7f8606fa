import GatewayConfiguration
import GatewayPipeline
import Logging
import Mosquitto

/// Publishes heartbeats, and drops connections that deliver nothing any more: otherwise a broker that hangs or stops delivering
/// is detected only after minutes.
struct HeartbeatService: Sendable {
    /// A lane that receives heartbeats.
    struct Lane: Sendable {
        var name: GatewayConfiguration.Lanes.Name
        var client: MosquittoClient
        var watch: LaneWatch
    }

    private static let intervalSeconds = 0.5
    private static let answerSeconds = 2.0
    /// How long none is published where the broker closes the connection instead of refusing one: that interrupts everything.
    private static let pauseAfterClosing = 30.0

    let configuration: GatewayConfiguration
    let instance: Heartbeat.Instance
    let egress: Egress
    let lanes: [Lane]
    /// Called when a lane has received no heartbeat for too long, and when it receives one again.
    let noteDelivery: @Sendable (_ lacksHeartbeat: Bool, GatewayConfiguration.Lanes.Name) async -> Void
    let clock: any GatewayClock
    let logger: Logger

    /// A heartbeat that was published.
    private struct Sent {
        let number: Int
        let lanes: [Lane]
        let ticket: PublishTicket
        /// Since when the broker has accepted nothing, as far as it is known.
        var waitsSince: Double
        /// How many messages the broker had accepted then.
        var acceptedBefore: UInt64
    }

    /// Runs until cancelled.
    func run() async {
        var number = 0
        var sent: Sent?
        var refusals = Refusals()
        var roundAt = clock.now.monotonic
        var pausedUntil = -Double.infinity
        var undelivered: Set<GatewayConfiguration.Lanes.Name> = []
        while !Task.isCancelled {
            do { try await clock.sleep(untilNext: Self.intervalSeconds) } catch { return }
            let now = clock.now.monotonic
            for lane in lanes { lane.watch.heartbeatsDue(at: now) }
            // A pause of the process is no silence of the broker.
            if now - roundAt > LaneWatch.behindSeconds { sent?.waitsSince = now }
            roundAt = now
            if var open = sent {
                sent = hasEnded(&open, reporting: &refusals) ? nil : open
                if sent == nil, egress.client.expendableRefusal(of: .heartbeat) == .closedByPeer {
                    pausedUntil = now + Self.pauseAfterClosing
                }
            }
            guard egress.client.state.isConnected else {
                for lane in lanes { lane.watch.awaitNoHeartbeat(at: now) }
                continue
            }
            if sent == nil, now >= pausedUntil {
                number += 1
                sent = publish(Heartbeat(instance: instance, number: number))
            }
            for lane in lanes where lane.watch.isSilent(at: clock.now.monotonic) {
                logger.error(
                    "a connection delivers nothing any more: connecting again", metadata: ["lane": "\(lane.name.rawValue)"])
                lane.watch.disconnected(becauseSilent: true)
                lane.client.dropConnection()
            }
            for lane in lanes where lane.watch.isHeartbeatMissing(at: clock.now.monotonic) {
                reportMissing(on: lane.name, once: &refusals)
            }
            for lane in lanes { await review(lane, with: &undelivered) }
        }
    }

    /// Passes on whether a lane lacks heartbeats where that has changed; `undelivered` are the lanes that do.
    private func review(_ lane: Lane, with undelivered: inout Set<GatewayConfiguration.Lanes.Name>) async {
        let lacksHeartbeat = lane.watch.lacksHeartbeat(at: clock.now.monotonic)
        guard lacksHeartbeat != undelivered.contains(lane.name) else { return }
        if lacksHeartbeat { undelivered.insert(lane.name) } else { undelivered.remove(lane.name) }
        await noteDelivery(lacksHeartbeat, lane.name)
    }

    private func publish(_ heartbeat: Heartbeat) -> Sent {
        let connected = lanes.filter(\.client.state.isConnected)
        let accepted = egress.client.statistics.messagesAccepted
        let now = clock.now.monotonic
        // Recorded first: a pause between the two must not make it a heartbeat from after the pause.
        for lane in connected { lane.watch.heartbeatPublished(heartbeat.number, at: now) }
        let ticket = egress.client.enqueue(
            connected.map { heartbeat.message(gateway: configuration.gateway.name, lane: $0.name.rawValue) }, priority: .heartbeat
        )
        return Sent(number: heartbeat.number, lanes: connected, ticket: ticket, waitsSince: now, acceptedBefore: accepted)
    }

    /// Whether the broker has accepted or refused `sent`, however long that takes.
    private func hasEnded(_ sent: inout Sent, reporting refusals: inout Refusals) -> Bool {
        let now = clock.now.monotonic
        switch egress.client.progress(of: sent.ticket) {
        case .accepted:
            if let refusal = egress.client.expendableRefusal(of: .heartbeat) {
                for lane in sent.lanes { lane.watch.heartbeatRefused(sent.number) }
                reportRefused(because: refusal, once: &refusals)
            } else {
                refusals.isPublishingReported = false
                for lane in sent.lanes { lane.watch.heartbeatAccepted(sent.number, at: now) }
            }
            return true
        case .stopped: return true
        case .waiting:
            let accepted = egress.client.statistics.messagesAccepted
            let isConnected = egress.client.state.isConnected
            if isConnected, accepted == sent.acceptedBefore, now - sent.waitsSince < Self.answerSeconds { return false }
            // Under load receipts may be late; the connection is dropped only when none arrive.
            if isConnected, accepted == sent.acceptedBefore {
                logger.error("the broker does not respond any more: connecting again")
                egress.client.dropConnection()
                if configuration.mqtt.brokers.count > 1 { leave(egress.client.statistics.broker) }
            }
            (sent.waitsSince, sent.acceptedBefore) = (now, accepted)
            return false
        }
    }
}

extension HeartbeatService {
    /// Drops the connections of lanes to a broker that does not respond: another may.
    private func leave(_ broker: BrokerAddress?) {
        for lane in lanes where lane.client.state.isConnected && lane.client.statistics.broker == broker {
            lane.watch.disconnected()
            lane.client.dropConnection()
        }
    }
}

/// Without heartbeats the gateway works, but does not detect a connection that delivers nothing.
extension HeartbeatService {
    /// What was reported already; each refusal is reported once.
    private struct Refusals {
        var isPublishingReported = false
        var lanes: Set<GatewayConfiguration.Lanes.Name> = []
    }

    private func reportRefused(because refusal: MosquittoError, once refusals: inout Refusals) {
        guard !refusals.isPublishingReported else { return }
        refusals.isPublishingReported = true
        let advice = HeartbeatAccess.advice(HeartbeatAccess.publishing, for: configuration.mqtt.out)
        logger.error("the broker refuses the heartbeat: \(advice)", metadata: ["reason": "\(refusal)"])
    }

    /// A broker may grant a subscription and then deliver nothing to it, as mosquitto does with its ACL file. On MQTT 3.1.1 it
    /// may also have refused the heartbeat, which it cannot report there.
    private func reportMissing(on lane: GatewayConfiguration.Lanes.Name, once refusals: inout Refusals) {
        guard refusals.lanes.insert(lane).inserted else { return }
        var advice = HeartbeatAccess.advice(HeartbeatAccess.reading, for: configuration.identity(of: lane))
        if configuration.mqtt.version == .v311 {
            advice += ", and \(HeartbeatAccess.advice(HeartbeatAccess.publishing, for: configuration.mqtt.out))"
        }
        logger.error(
            "the broker accepts the heartbeat and does not deliver it: \(advice)", metadata: ["lane": "\(lane.rawValue)"])
    }
}
