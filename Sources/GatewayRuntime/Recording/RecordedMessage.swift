package import GatewayPipeline
import JSONText

/// One line of a recording: a message and when the gateway received it.
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

    /// The valid times of a message in a recording, in unix seconds: from 1970, where a clock that was never set begins, to 2100.
    package static let recordable = 0.0...4_102_444_800.0

    /// Reads one line of NDJSON; the error holds the fault and its place.
    package init(line: ArraySlice<UInt8>, splitter: JSONSplitter = JSONSplitter()) throws(GatewayError) {
        // `mosquitto_sub -F '{...,"payload":%p}'` prints nothing for an empty payload.
        let isEmpty = line.reversed().starts(with: Self.endOfEmptyPayload)
        let line = isEmpty ? ArraySlice(line.dropLast() + Self.emptyText) : line
        let members: [JSONSplitter.Member?]
        do {
            members = try splitter.split(line, "at", "topic", "retain", "contentType", "payload", "payloadBase64")
        } catch {
            throw GatewayError("no JSON object (at byte \(error.offset))")
        }
        guard let at = members[0]?.number, at.isFinite else { throw GatewayError("'at' is missing or no number") }
        guard Self.recordable.contains(at) else {
            throw GatewayError("'at' is \(at), expected unix seconds between 1970 and 2100")
        }
        guard let topic = members[1]?.text else { throw GatewayError("'topic' is missing or no string") }
        self.init(
            at: at,
            message: InboundMessage(
                topic: topic, payload: try Self.payload(members[4], base64: members[5]), retain: try Self.flag(members[2]),
                contentType: members[3]?.text))
    }

    private static let endOfEmptyPayload = Array(#""payload":}"#.utf8.reversed())
    private static let emptyText = Array(#"null,"payloadBase64":""}"#.utf8)

    private static func flag(_ member: JSONSplitter.Member?) throws(GatewayError) -> Bool {
        switch member.map({ String(decoding: $0.bytes, as: UTF8.self) }) {
        case nil, "false": false
        case "true": true
        case .some: throw GatewayError("'retain' is neither true nor false")
        }
    }

    private static func payload(
        _ payload: JSONSplitter.Member?, base64: JSONSplitter.Member?
    ) throws(GatewayError) -> [UInt8] {
        if let base64 {
            guard let text = base64.text, let bytes = Base64.decode(text) else {
                throw GatewayError("'payloadBase64' is no base64")
            }
            return bytes
        }
        guard let payload else { throw GatewayError("neither 'payload' nor 'payloadBase64'") }
        return Array(payload.bytes)
    }

    /// The line, without the newline at its end.
    package var line: [UInt8] { line(JSONSplitter()) }

    /// The line, without the newline at its end, for a terminal: control and bidirectional characters of the topic are escaped, and
    /// a payload that holds any is in base64. It is read back as the same message.
    package var printableLine: [UInt8] {
        let line = line
        let text = String(decoding: line, as: UTF8.self)
        guard text.escaped != text else { return line }
        return JSONWriter.object { json in
            json.field("at", at)
            json.field("topic", ascii: message.topic)
            json.field("retain", message.retain)
            if let type = message.contentType { json.field("contentType", ascii: type) }
            json.field("payloadBase64", Base64.encode(message.payload))
        }
    }

    /// The line, without the newline at its end; `splitter` parses its payload.
    package func line(_ splitter: JSONSplitter) -> [UInt8] {
        Self.line(
            at: at, topic: message.topic, retain: message.retain, payload: message.payload, contentType: message.contentType,
            isBare: Self.isObjectOnOneLine(message.payload, splitter))
    }

    private static func isObjectOnOneLine(_ payload: [UInt8], _ splitter: JSONSplitter) -> Bool {
        // Spaces around the object would not be read back.
        payload.first == UInt8(ascii: "{") && payload.last == UInt8(ascii: "}") && (try? splitter.split(payload[...])) != nil
            && !payload.contains(0x0A) && !payload.contains(0x0D)
    }

    /// The line for a message. A payload goes as it stands where `isBare`: it is a JSON object on one line, without spaces around
    /// it. Any other goes as base64.
    static func line(
        at: Double, topic: String, retain: Bool, payload: [UInt8], contentType: String? = nil, isBare: Bool
    ) -> [UInt8] {
        JSONWriter.object { json in
            json.field("at", at)
            json.field("topic", topic)
            json.field("retain", retain)
            if let contentType { json.field("contentType", contentType) }
            if isBare { json.raw("payload", payload) } else { json.field("payloadBase64", Base64.encode(payload)) }
        }
    }
}

extension RecordedMessage {
    /// The message with its frame in JSON, where that is in Protocol Buffers; the gateway derives the same from it.
    package var inJSON: RecordedMessage {
        guard let json = ProtobufText.json(of: message) else { return self }
        var result = self
        result.message.payload = json
        result.message.contentType = "application/json"
        return result
    }
}

extension RecordedMessage {
    /// Passes every message of the file at `path`, `-` is standard input, to `take`, with its place `file:line`.
    ///
    /// Invalid lines are reported to `onProblem` and skipped. Throws when the file cannot be read, and what `take` throws.
    package static func read(
        _ path: String, onProblem: (String) -> Void, _ take: (RecordedMessage, String) throws(GatewayError) -> Void
    ) throws(GatewayError) {
        var lines = try LineReader(path: path)
        let splitter = JSONSplitter()
        while let line = try lines.next() {
            guard line.contains(where: { $0 > 0x20 }) else { continue }
            let place = "\(lines.name):\(lines.number)"
            let message: RecordedMessage
            do throws(GatewayError) {
                message = try RecordedMessage(line: line[...], splitter: splitter)
            } catch {
                onProblem("\(place): \(error)")
                continue
            }
            try take(message, place)
        }
    }
}
