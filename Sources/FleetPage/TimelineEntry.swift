import GatewayPipeline
import JSONText
import LiveView

/// One event of a device or gateway.
struct TimelineEntry: Sendable {
    /// Unix seconds.
    var at: Double
    /// The kind of the message, such as `gap`.
    var kind: String
    /// What happened, in words.
    var phrase: Phrase
    /// The state of a connection.
    var state: String?
    /// Where in a rejected frame the problem is, a JSON pointer.
    var pointer: String?
    /// The beginning of a rejected frame, in base64.
    var payload: String?
    /// The topic of a rejected frame.
    var topic: String?

    init(phrase: Phrase, fields: ShownFields, now: Double, limits: FleetLimits) {
        at = fields.at ?? fields.received ?? now
        kind = fields.path
        self.phrase = phrase
        if kind.hasPrefix("connection/") { state = fields.text("state").map { $0.start(scalars: 32) } }
        guard kind == "rejected" else { return }
        pointer = fields.text("pointer").map { $0.start(scalars: 256) }
        // Four characters of base64 are three bytes: a prefix of whole groups can be decoded.
        payload = fields.text("payload").map { $0.start(scalars: limits.rejectedPayload & ~3) }
        topic = fields.text("topic").map { $0.start(scalars: 256) }
    }

    func encode(into json: inout JSONWriter) {
        json.object { json in
            json.seconds("at", at)
            json.field("kind", kind)
            json.field("text", phrase.text)
            json.field("tone", "\(phrase.tone)")
            if let state { json.field("state", state) }
            if let pointer { json.field("pointer", pointer) }
            if let payload { json.field("payload", payload) }
            if let topic { json.field("topic", topic) }
        }
    }
}
