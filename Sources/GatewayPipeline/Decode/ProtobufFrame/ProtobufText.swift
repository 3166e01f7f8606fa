internal import JSONText

/// A frame in Protocol Buffers as the JSON that has the same values, to be read by people and by programs that know only JSON.
package enum ProtobufText {
    /// The JSON of a payload in Protocol Buffers; nil where it is none, or its content has a fault.
    ///
    /// Every known field is there, whatever the stream. The gateway derives the same from this text as from the payload.
    package static func json(of payload: [UInt8], limits: DecodeLimits = DecodeLimits()) -> [UInt8]? {
        let document = ProtobufDocument()
        guard let frame = try? ProtobufParser.read(payload, stream: nil, limits: limits, into: document), document.fault == nil
        else { return nil }
        var text: [UInt8] = []
        append(frame, to: &text)
        return text
    }

    /// The JSON of a message's payload where that is a frame in Protocol Buffers; nil for any other.
    package static func json(of message: InboundMessage, limits: DecodeLimits = DecodeLimits()) -> [UInt8]? {
        guard !message.payload.isEmpty, message.payload.count <= limits.maximumPayloadBytes,
            case .protobuf = try? PayloadFormat(of: message.payload, contentType: message.contentType)
        else { return nil }
        return json(of: message.payload, limits: limits)
    }

    private static func append(_ value: ProtobufNode, to text: inout [UInt8]) {
        switch value.kind {
        case .object:
            text.append(UInt8(ascii: "{"))
            for (index, key) in value.uncheckedKeys(maximum: .max).enumerated() {
                guard let member = value.uncheckedMember(key) else { continue }
                if index > 0 { text.append(UInt8(ascii: ",")) }
                text += quoted(key)
                text.append(UInt8(ascii: ":"))
                append(member, to: &text)
            }
            text.append(UInt8(ascii: "}"))
        case .array:
            text.append(UInt8(ascii: "["))
            var element: ProtobufNode?
            for index in 0..<value.uncheckedCount {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                let next = element?.uncheckedNext ?? value.uncheckedFirst
                append(next, to: &text)
                element = next
            }
            text.append(UInt8(ascii: "]"))
        case .string: text += quoted(value.uncheckedString)
        case .fraction: text += value.uncheckedNumber.description.utf8
        case .integer: text += value.uncheckedInteger.description.utf8
        case .hugeInteger: text += value.uncheckedNatural.description.utf8
        case .boolean: text += (value.uncheckedBoolean ? "true" : "false").utf8
        case .null: text += "null".utf8
        }
    }

    private static func quoted(_ text: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.element(ascii: text)
        return writer.bytes
    }
}
