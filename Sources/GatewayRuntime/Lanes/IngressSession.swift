import GatewayPipeline
import Mosquitto

/// A session with the broker, on its thread, and the lanes that read it: one, or all where an account may have one receiving connection only.
///
/// The rule: acknowledgements are written only when every lane has committed what was read for it. What one cannot commit is released: the
/// connection is dropped, and the broker delivers again what was read for any.
final class IngressSession: DeliveryHandler {
    private let lanes: [LaneSession]

    /// A session that `lanes` read.
    init(_ lanes: [LaneSession]) { self.lanes = lanes }

    func connected(sessionPresent: Bool) { for lane in lanes { lane.connected(sessionPresent: sessionPresent) } }

    func disconnected() { for lane in lanes { lane.disconnected() } }

    /// Passes each lane its heartbeats, what is on topics of its streams, and what concerns all streams.
    func receive(_ messages: [MQTTMessage]) {
        // While one lane processes its messages, or commits them, nothing is read for the others: that is no silence of the broker.
        for lane in lanes { lane.noteRead() }
        var heartbeats = lanes.map { _ in [MQTTMessage]() }
        var arrivals = lanes.map { _ in [Lane.Arrival]() }
        for message in messages {
            if let index = lanes.firstIndex(where: { $0.isHeartbeat(message) }) {
                heartbeats[index].append(message)
                continue
            }
            let address = lanes[0].lane.address(of: message.topic)
            let inbound = InboundMessage(message)
            for index in lanes.indices where lanes[index].lane.plan.share.receives(address) {
                arrivals[index].append((inbound, address))
            }
        }
        for (index, lane) in lanes.enumerated() {
            lane.receive(arrivals[index], heartbeats: heartbeats[index], of: messages.count)
        }
    }

    func review(isStopping: Bool) -> DeliveryDecision {
        for lane in lanes { lane.advance(isStopping: isStopping) }
        // Together: none waits with its commit for the time of another, whose messages are acknowledged with its own.
        if let due = lanes.compactMap(\.commitDue).min() { for lane in lanes { lane.commit(by: due, isStopping: isStopping) } }
        if lanes.contains(where: \.isReleasing) { return DeliveryDecision(.release) }
        let isCommitted = lanes.allSatisfy(\.isCommitted)
        if isCommitted { for lane in lanes { lane.acknowledged() } }
        let outlooks = lanes.map { $0.outlook() }
        if !lanes.contains(where: \.isCommitting) { for lane in lanes { lane.noteSettled() } }
        return DeliveryDecision(
            isCommitted ? .write : .hold, mayRead: outlooks.allSatisfy(\.mayRead),
            reviewAt: outlooks.compactMap(\.reviewAt).min(),
            gathersFrom: outlooks.compactMap(\.gathersFrom).max())
    }

    func stopped() {
        let deadline = MonotonicInstant.now + .seconds(LaneContext.lastCommitSeconds)
        for lane in lanes { lane.beginEnd(by: deadline) }
        for lane in lanes { lane.end(by: deadline) }
    }
}
