import GatewayPipeline
import Logging
import Mosquitto

/// Sends canaries through the broker, and drops the connections through which nothing comes any more: a broker that is frozen, or
/// that has stopped delivering, looks connected for minutes otherwise.
struct CanaryService: Sendable {
    /// One lane's end of it.
    struct Lane: Sendable {
        var name: String
        var client: MosquittoClient
        var watch: LaneWatch
    }

    private static let intervalSeconds = 0.5
    private static let answerSeconds = 2.0

    let gateway: String
    let instance: Canary.Instance
    let egress: Egress
    let lanes: [Lane]
    let clock: any GatewayClock
    let logger: Logger

    /// Runs until cancelled.
    func run() async {
        var number = 0
        while !Task.isCancelled {
            do { try await clock.sleep(seconds: Self.intervalSeconds) } catch { return }
            guard egress.client.state.isConnected else { continue }
            number += 1
            await send(Canary(instance: instance, number: number))
            for lane in lanes where lane.watch.isSilent(at: clock.now.monotonic) {
                logger.error("nothing comes through a connection any more: connecting again", metadata: ["lane": "\(lane.name)"])
                lane.watch.disconnected()
                lane.client.dropConnection()
            }
        }
    }

    private func send(_ canary: Canary) async {
        let connected = lanes.filter(\.client.state.isConnected)
        let accepted = egress.client.statistics.messagesAccepted
        let ticket = egress.client.enqueue(
            connected.map { canary.message(gateway: gateway, lane: $0.name) }, priority: .urgent)
        do {
            try await egress.settle(ticket, within: Self.answerSeconds, clock: clock)
            let now = clock.now.monotonic
            for lane in connected { lane.watch.canaryAccepted(canary.number, at: now) }
        } catch is NotSettled {
            // Under load receipts may be late; none at all is another matter.
            guard egress.client.state.isConnected, egress.client.statistics.messagesAccepted == accepted else { return }
            logger.error("the broker does not answer any more: connecting again")
            egress.client.dropConnection()
        } catch {}
    }
}
