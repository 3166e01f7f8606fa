import GatewayPipeline
import Mosquitto

/// A message that the gateway publishes to itself through the broker: it shows that the broker delivers.
///
/// It does not expire, and is published only while the lane is connected. mosquitto 2.0.11 delivers the next message that is published ahead of
/// those that it has queued for a session when a message that it has sent there expires.
struct Heartbeat: Sendable, Equatable {
    /// One run of one gateway.
    struct Instance: Sendable, Equatable {
        /// Random, new for every run.
        var id: String
        /// When the run started, in unix seconds.
        var started: Double
    }

    /// The run that published it.
    var instance: Instance
    /// Counts up from 1.
    var number: Int

    /// The topic of a lane's heartbeats.
    static func topic(gateway: String, lane: String) -> String { "fathom/\(gateway)/heartbeat/\(lane)" }

    /// The message for one lane. Expendable: a refused heartbeat does not hold up what is published after it.
    func message(gateway: String, lane: String) -> MQTTMessage {
        let payload = "{\"instance\":\"\(instance.id)\",\"started\":\(instance.started),\"number\":\(number)}"
        var message = MQTTMessage(topic: Self.topic(gateway: gateway, lane: lane), payload: Array(payload.utf8))
        message.isExpendable = true
        message.contentType = OutboundMessage.contentType
        message.isText = true
        return message
    }

    /// Reads a payload; nil when it is no heartbeat.
    init?(_ payload: [UInt8]) {
        guard let members = try? JSONSplitter().split(payload[...], "instance", "started", "number"),
            let id = members[0]?.text, let started = members[1]?.number,
            let number = members[2]?.number.flatMap(Int.init(exactly:))
        else { return nil }
        instance = Instance(id: id, started: started)
        self.number = number
    }

    init(instance: Instance, number: Int) {
        self.instance = instance
        self.number = number
    }
}
