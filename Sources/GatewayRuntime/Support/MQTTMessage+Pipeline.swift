package import GatewayPipeline
package import Mosquitto

extension MQTTMessage {
    /// The MQTT message of an outbound message; on 3.1.1 without properties. `epoch` becomes the first member of the payload, unless that is
    /// empty: retained messages that are published again have been encoded by an earlier owner.
    package init(_ message: borrowing OutboundMessage, epoch: Int? = nil) {
        var payload = message.payload
        if let epoch { payload.insert(epoch: epoch) }
        // Not by `self.init`, after which each change of a member copies all of them.
        var made = MQTTMessage(
            topic: message.topic, payload: payload, qos: .atLeastOnce, retain: message.retain,
            contentType: payload.isEmpty ? nil : OutboundMessage.contentType, messageExpirySeconds: message.expirySeconds)
        made.isText = !payload.isEmpty
        made.isState = message.isState
        if let event = message.event {
            made.userProperties = [UserProperty(name: "id", value: event.id), UserProperty(name: "at", value: event.at)]
        }
        self = made
    }
}

extension [UInt8] {
    /// Makes an epoch the first member of a JSON object; changes nothing else.
    mutating func insert(epoch: Int) {
        if first == UInt8(ascii: "{") { insert(contentsOf: "\"epoch\":\(epoch),".utf8, at: 1) }
    }
}

extension InboundMessage {
    /// A message as it was delivered.
    package init(_ message: MQTTMessage) {
        self.init(topic: message.topic, payload: message.payload, retain: message.retain, contentType: message.contentType)
    }
}
