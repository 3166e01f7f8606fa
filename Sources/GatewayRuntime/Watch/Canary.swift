import Mosquitto
import GatewayPipeline

/// A message that the gateway sends through the broker to itself, to know that messages flow and that it is alone.
struct Canary: Sendable, Equatable {
    /// One run of one gateway.
    struct Instance: Sendable, Equatable {
        /// Made at random for every run.
        var id: String
        /// When it began, in unix seconds.
        var started: Double

        /// Whether it began before `other`; of two that began together one does too.
        func precedes(_ other: Instance) -> Bool { (started, id) < (other.started, other.id) }
    }

    /// Whose it is.
    var instance: Instance
    /// Counts up.
    var number: Int

    /// How long the broker may keep one, in seconds: older ones tell nothing.
    private static let expirySeconds: UInt32 = 3

    /// The topic of a lane's canaries.
    static func topic(gateway: String, lane: String) -> String { "fathom/\(gateway)/canary/\(lane)" }

    /// The message for one lane. A broker that does not admit it may refuse it.
    func message(gateway: String, lane: String) -> MQTTMessage {
        let payload = "{\"instance\":\"\(instance.id)\",\"started\":\(instance.started),\"number\":\(number)}"
        var message = MQTTMessage(topic: Self.topic(gateway: gateway, lane: lane), payload: Array(payload.utf8))
        message.messageExpirySeconds = Self.expirySeconds
        message.isExpendable = true
        return message
    }

    /// Reads a canary's payload; nil when it is none.
    init?(_ payload: [UInt8]) {
        guard let members = try? JSONMembers.read(payload[...]), let id = members["instance"].flatMap(JSONMembers.text),
            let started = members["started"].flatMap({ Double(String(decoding: $0, as: UTF8.self)) }),
            let number = members["number"].flatMap({ Int(String(decoding: $0, as: UTF8.self)) })
        else { return nil }
        instance = Instance(id: id, started: started)
        self.number = number
    }

    init(instance: Instance, number: Int) {
        self.instance = instance
        self.number = number
    }
}
