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

    let configuration: GatewayConfiguration
    let instance: Heartbeat.Instance
    let egress: Egress
    let lanes: [Lane]
    let clock: any GatewayClock
    let logger: Logger

    /// Runs until cancelled.
    func run() async {
        var number = 0
        var refusals = Refusals()
        while !Task.isCancelled {
            do { try await clock.sleep(seconds: Self.intervalSeconds) } catch { return }
            guard egress.client.state.isConnected else { continue }
            number += 1
            await publish(Heartbeat(instance: instance, number: number), reporting: &refusals)
            for lane in lanes where lane.watch.isSilent(at: clock.now.monotonic) {
                logger.error(
                    "a connection delivers nothing any more: connecting again", metadata: ["lane": "\(lane.name.rawValue)"])
                lane.watch.disconnected()
                lane.client.dropConnection()
            }
            for lane in lanes where lane.watch.isHeartbeatMissing(at: clock.now.monotonic) {
                reportMissing(on: lane.name, once: &refusals)
            }
        }
    }

    private func publish(_ heartbeat: Heartbeat, reporting refusals: inout Refusals) async {
        let connected = lanes.filter(\.client.state.isConnected)
        let accepted = egress.client.statistics.messagesAccepted
        let ticket = egress.client.enqueue(
            connected.map { heartbeat.message(gateway: configuration.gateway.name, lane: $0.name.rawValue) }, priority: .urgent)
        do {
            try await egress.settle(ticket, within: Self.answerSeconds, clock: clock)
            if let refusal = egress.client.statistics.expendableRefusal {
                reportRefused(because: refusal, once: &refusals)
            } else {
                refusals.isPublishingReported = false
                for lane in connected { lane.watch.heartbeatAccepted(heartbeat.number, at: clock.now.monotonic) }
            }
        } catch is NotSettled {
            // Under load receipts may be late; the connection is dropped only when none arrive.
            guard egress.client.state.isConnected, egress.client.statistics.messagesAccepted == accepted else { return }
            logger.error("the broker does not respond any more: connecting again")
            egress.client.dropConnection()
        } catch {}
    }
}

/// Without heartbeats the gateway works, but detects neither a connection that delivers nothing nor a second gateway of its name.
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
