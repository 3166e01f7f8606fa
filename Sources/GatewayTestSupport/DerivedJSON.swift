import Foundation
package import GatewayPipeline

/// A published message as a subscriber receives it.
package struct DerivedJSON: CustomStringConvertible {
    /// The whole topic.
    package var topic: String
    /// The bytes as they were published.
    package var payload: [UInt8]
    /// The fields; empty for a message that clears.
    package var fields: [String: Any]
    /// Whether it is retained.
    package var retain: Bool
    /// Whether it clears a retained message.
    package var isClearing: Bool
    /// The seconds after which the message expires; nil for never, and where it was received from a broker.
    package private(set) var expirySeconds: UInt32?

    /// Reads a published message; a payload that is no JSON object has no fields.
    package init(topic: String, payload: [UInt8], retain: Bool) {
        self.topic = topic
        self.payload = payload
        self.retain = retain
        isClearing = payload.isEmpty
        fields = (try? JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any]) ?? [:]
    }

    /// Reads an outbound message; one that contradicts its schema is an issue of the running test.
    package init(_ message: OutboundMessage) {
        ContractSchemas.check(topic: message.topic, payload: message.payload)
        self.init(topic: message.topic, payload: message.payload, retain: message.retain)
        expirySeconds = message.expirySeconds
    }

    /// The path after `out/`; the topic itself where there is none.
    package var kind: String {
        topic.range(of: "/out/").map { String(topic[$0.upperBound...]) } ?? topic
    }

    /// The text of a field.
    package func text(_ key: String) -> String? { fields[key] as? String }
    /// The number of a field.
    package func number(_ key: String) -> Double? { (fields[key] as? NSNumber)?.doubleValue }
    /// The truth value of a field.
    package func flag(_ key: String) -> Bool? { (fields[key] as? NSNumber)?.boolValue }
    /// Whether a field is there and null.
    package func isNull(_ key: String) -> Bool { fields[key] is NSNull }

    /// The fields that must be equal wherever and whenever the same input is processed, in a fixed order.
    package var lasting: String {
        let byGatewayClock = ["epoch", "received"] + (fields["skew"] == nil ? [] : ["skew", "validUntil"])
        let kept = fields.filter { !byGatewayClock.contains($0.key) }
        let data = try? JSONSerialization.data(withJSONObject: kept, options: [.sortedKeys])
        return "\(topic) \(retain) \(data.map { String(decoding: $0, as: UTF8.self) } ?? "")"
    }

    /// Topic and fields, for messages of failed tests.
    package var description: String { lasting }
}
