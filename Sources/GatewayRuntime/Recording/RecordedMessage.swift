package import GatewayPipeline

/// One line of a recording: a message and when the gateway had it.
package struct RecordedMessage: Sendable, Equatable {
    /// The gateway's wall clock in unix seconds.
    package var at: Double
    /// The message.
    package var message: InboundMessage

    /// A message that came at `at`.
    package init(at: Double, message: InboundMessage) {
        self.at = at
        self.message = message
    }

    /// Reads one line of NDJSON; the error says what is wrong with it.
    package init(line: ArraySlice<UInt8>) throws(GatewayError) {
        let members: [String: ArraySlice<UInt8>]
        do {
            members = try JSONMembers.read(line)
        } catch {
            throw GatewayError("no JSON object (at byte \(error.offset))")
        }
        guard let at = members["at"].flatMap({ Double(String(decoding: $0, as: UTF8.self)) }), at.isFinite else {
            throw GatewayError("'at' is missing or no number")
        }
        guard let topic = members["topic"].flatMap(JSONMembers.text) else {
            throw GatewayError("'topic' is missing or no string")
        }
        let retain = try Self.flag(members["retain"])
        let contentType = members["contentType"].flatMap(JSONMembers.text)
        self.init(
            at: at,
            message: InboundMessage(
                topic: topic, payload: try Self.payload(members), retain: retain, contentType: contentType))
    }

    private static func flag(_ slice: ArraySlice<UInt8>?) throws(GatewayError) -> Bool {
        switch slice.map({ String(decoding: $0, as: UTF8.self) }) {
        case nil, "false": false
        case "true": true
        case .some: throw GatewayError("'retain' is neither true nor false")
        }
    }

    private static func payload(_ members: [String: ArraySlice<UInt8>]) throws(GatewayError) -> [UInt8] {
        if let base64 = members["payloadBase64"] {
            guard let text = JSONMembers.text(base64), let bytes = Base64.decode(text) else {
                throw GatewayError("'payloadBase64' is no base64")
            }
            return bytes
        }
        guard let payload = members["payload"] else { throw GatewayError("neither 'payload' nor 'payloadBase64'") }
        return Array(payload)
    }

    /// The line, without the newline at its end.
    package var line: [UInt8] {
        Self.line(
            at: at, topic: message.topic, retain: message.retain, payload: message.payload, contentType: message.contentType)
    }

    /// The line for a message; a payload that is no JSON object on one line goes as base64.
    package static func line(at: Double, topic: String, retain: Bool, payload: [UInt8], contentType: String?) -> [UInt8] {
        var line = Array("{\"at\":\(at),\"topic\":\(quoted(topic)),\"retain\":\(retain)".utf8)
        if let contentType { line += Array(",\"contentType\":\(quoted(contentType))".utf8) }
        // Spaces around the object would not be read back.
        let isBare = payload.first == UInt8(ascii: "{") && payload.last == UInt8(ascii: "}")
        if isBare, (try? JSONMembers.read(payload[...])) != nil, !payload.contains(0x0A), !payload.contains(0x0D) {
            line += Array(",\"payload\":".utf8) + payload
        } else {
            line += Array(",\"payloadBase64\":\"\(Base64.encode(payload))\"".utf8)
        }
        return line + [UInt8(ascii: "}")]
    }

    /// Topics hold no control characters: brokers refuse them.
    private static func quoted(_ text: String) -> String {
        "\"" + text.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] } + "\""
    }
}
