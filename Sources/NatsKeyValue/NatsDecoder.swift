import NIOCore

/// Decodes the client protocol of NATS: lines that end with CR LF, and behind the lines of messages as many bytes as they say.
struct NatsDecoder: ByteToMessageDecoder {
    typealias InboundOut = NatsOperation

    /// The longest line; that which describes the server is the longest there is.
    private static let longestLine = 256 * 1_024
    /// The largest message that a server can be set to.
    private static let largestMessage = 64 * 1_024 * 1_024
    private static let headerVersion = "NATS/1.0"

    /// A message whose content has not come.
    private var awaited: (message: NatsMessage, headerBytes: Int, bytes: Int)?

    mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        guard let operation = try next(&buffer) else { return .needMoreData }
        context.fireChannelRead(wrapInboundOut(operation))
        return .continue
    }

    mutating func decodeLast(
        context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
    ) throws -> DecodingState { try decode(context: context, buffer: &buffer) }

    /// Takes the next operation from `buffer`; nil where it is not complete. Throws where what came is not of the protocol.
    mutating func next(_ buffer: inout ByteBuffer) throws(NatsError) -> NatsOperation? {
        if let awaited { return try content(of: awaited, in: &buffer) }
        guard let line = try line(in: &buffer) else { return nil }
        let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
        guard let name = words.first?.uppercased() else { throw NatsError("the server has sent an empty line") }
        switch name {
        case "INFO": return .info(Array(line.utf8.dropFirst(name.utf8.count)))
        case "PING": return .ping
        case "PONG": return .pong
        case "+OK": return .ok
        case "-ERR": return .error(line.dropFirst(name.count).trimmingPrefix(" ").filter { $0 != "'" })
        case "MSG", "HMSG":
            let described = try message(words.dropFirst(), hasFields: name == "HMSG")
            awaited = described
            return try content(of: described, in: &buffer)
        default: throw NatsError("the server has sent an unknown operation: \(name.prefix(32))")
        }
    }

    private func line(in buffer: inout ByteBuffer) throws(NatsError) -> String? {
        guard let end = buffer.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) else {
            guard buffer.readableBytes <= Self.longestLine else { throw NatsError("the server has sent no NATS line") }
            return nil
        }
        let count = end - buffer.readerIndex + 1
        guard count <= Self.longestLine, let text = buffer.readString(length: count) else {
            throw NatsError("the server has sent no NATS line")
        }
        return String(text.unicodeScalars.dropLast(while: { $0 == "\n" || $0 == "\r" }))
    }

    /// Reads `subject sid [reply] [bytes of the header] bytes`.
    private func message(
        _ words: ArraySlice<Substring>, hasFields: Bool
    ) throws(NatsError) -> (message: NatsMessage, headerBytes: Int, bytes: Int) {
        let words = Array(words)
        let numbers = hasFields ? 2 : 1
        guard (2 + numbers...3 + numbers).contains(words.count), let bytes = Int(words[words.count - 1]),
            let headerBytes = hasFields ? Int(words[words.count - 2]) : 0, headerBytes >= 0, headerBytes <= bytes,
            bytes <= Self.largestMessage, let subscription = Int(words[1])
        else { throw NatsError("the server has sent a message that cannot be read") }
        let reply = words.count == 3 + numbers ? String(words[2]) : nil
        return (NatsMessage(subject: String(words[0]), subscription: subscription, reply: reply), headerBytes, bytes)
    }

    private mutating func content(
        of described: (message: NatsMessage, headerBytes: Int, bytes: Int), in buffer: inout ByteBuffer
    ) throws(NatsError) -> NatsOperation? {
        guard buffer.readableBytes >= described.bytes + 2 else { return nil }
        awaited = nil
        var message = described.message
        let header = buffer.readString(length: described.headerBytes) ?? ""
        message.payload = buffer.readBytes(length: described.bytes - described.headerBytes) ?? []
        guard buffer.readString(length: 2) == "\r\n" else { throw NatsError("a message does not end where the server said") }
        if described.headerBytes > 0 { try Self.read(header, into: &message) }
        return .message(message)
    }

    /// Reads `NATS/1.0 [status [text]]`, then a line for each field.
    static func read(_ header: String, into message: inout NatsMessage) throws(NatsError) {
        let lines = header.split(whereSeparator: \.isNewline)
        guard let first = lines.first, first.hasPrefix(headerVersion) else { throw NatsError("a message has no NATS header") }
        message.status = first.dropFirst(headerVersion.count).split(separator: " ").first.flatMap { Int($0) }
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            message.fields[String(line[..<colon])] = String(line[line.index(after: colon)...].trimmingPrefix(" "))
        }
    }
}

extension BidirectionalCollection {
    fileprivate func dropLast(while isDropped: (Element) -> Bool) -> SubSequence {
        guard let last = lastIndex(where: { !isDropped($0) }) else { return self[startIndex..<startIndex] }
        return self[...last]
    }
}
