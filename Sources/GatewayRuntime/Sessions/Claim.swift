import GatewayPipeline
import JSONText
import Mosquitto

/// A gateway's claim to its name, on `fathom/{gateway}/claim`.
struct Claim: Sendable, Equatable {
    /// What the claimant does.
    enum State: String, Sendable, CaseIterable {
        /// It asks who has the name; not retained.
        case looking
        /// It wants the name, and reads nothing yet.
        case contesting
        /// It has the name.
        case owned
        /// It had the name and has stopped in order.
        case released
    }

    /// The run of the gateway that claims: random, new for every run.
    var instance: String
    /// What is claimed: each owner's is higher than those before it. For `looking` 0.
    var epoch: Int
    /// Counts the claims of the instance.
    var number: Int
    /// What the claimant does.
    var state: State
    /// The machine of the claimant.
    var host: String
    /// When the claimant started, in unix seconds.
    var started: Double

    /// Whether it wins against another claim: by its epoch; of one epoch, an owner wins against those that contest, and of these the lower
    /// instance id. Both see the same, so that exactly one goes on.
    func outranks(_ other: Claim) -> Bool {
        if epoch != other.epoch { return epoch > other.epoch }
        if (state == .owned) != (other.state == .owned) { return state == .owned }
        return instance < other.instance
    }
}

extension Claim {
    /// The topic of a gateway's claims.
    static func topic(gateway: String) -> String { "fathom/\(gateway)/claim" }

    /// The claim as JSON.
    var payload: [UInt8] {
        JSONWriter.object { json in
            json.field("schema", OutboundEncoder.schema)
            json.field("instance", instance)
            json.field("epoch", epoch)
            json.field("number", number)
            json.field("state", state.rawValue)
            json.field("host", host)
            json.seconds("started", started)
        }
    }

    /// The message.
    func message(gateway: String) -> MQTTMessage {
        var message = MQTTMessage(
            topic: Self.topic(gateway: gateway), payload: payload, retain: state != .looking,
            contentType: OutboundMessage.contentType)
        message.isText = true
        message.isExpendable = true
        return message
    }

    /// Reads a payload; nil when it is no claim.
    init?(_ payload: [UInt8]) {
        guard
            let members = try? JSONSplitter().split(
                payload[...], "instance", "epoch", "number", "state", "host", "started"),
            let instance = members[0]?.text, let state = members[3]?.text.flatMap(State.init),
            let epoch = members[1]?.number.flatMap(Int.init(exactly:)), Self.epochs.contains(epoch),
            let number = members[2]?.number.flatMap(Int.init(exactly:))
        else { return nil }
        self.init(
            instance: instance, epoch: epoch, number: number, state: state, host: members[4]?.text ?? "",
            started: members[5]?.number ?? 0)
    }

    /// The epochs that a gateway can have; another number is damage, and must not end the process when one is added to it.
    static let epochs = 0..<(1 << 52)
}
