import TelemetryModel

extension NativeFrameDecoder {
    /// The header of a frame that is refused whatever it holds: its body is passed over, not read. Nil where the frame has to be read to
    /// know what is wrong with it.
    func glance(at payload: [UInt8], contentType: String?, limits: DecodeLimits) -> FrameHeader? {
        guard !payload.isEmpty, payload.count <= limits.maximumPayloadBytes else { return nil }
        switch try? PayloadFormat(of: payload, contentType: contentType) {
        case .json: return glance(atJSON: payload)
        case .protobuf: return try? GlancedHeader(protobuf: payload).header
        case nil: return nil
        }
    }

    private func glance(atJSON payload: [UInt8]) -> FrameHeader? {
        if let header = GlancedHeader(json: payload)?.header { return header }
        guard let members = try? splitter.split(payload[...], "schema", "boot", "seq", "uptime", "sent") else { return nil }
        return GlancedHeader(
            schema: members[0]?.text, boot: members[1]?.text, sequence: members[2]?.number, uptime: members[3]?.number,
            sent: members[4]?.number
        ).header
    }
}

/// The fields of a header, as far as they are there.
private struct GlancedHeader {
    var schema: String?
    var boot: String?
    var sequence: Double?
    var uptime: Double?
    var sent: Double?

    /// The header; nil where a field is missing or not valid.
    var header: FrameHeader? {
        guard schema == FrameHeader.schema, let boot = boot.flatMap(BootID.init), let sequence, sequence < 0x1p53,
            let sequence = UInt64(exactly: sequence), let uptime, uptime >= 0, uptime < FrameClock.end,
            sent.map(FrameClock.wallClock.contains) ?? true
        else { return nil }
        return FrameHeader(boot: boot, sequence: sequence, uptime: DeviceTime(uptime + 0), sent: sent.map { UnixTime($0) })
    }
}

extension GlancedHeader {
    /// Reads the fields that stand before the body, as most apps write them; nil for anything that is not a plain text or number.
    init?(json payload: [UInt8]) {
        self.init()
        var scan = PlainScan(bytes: payload)
        guard scan.take("{") else { return nil }
        repeat {
            guard let key = scan.text(), scan.take(":") else { return nil }
            switch key {
            case "schema": schema = scan.text()
            case "boot": boot = scan.text()
            case "seq": sequence = scan.number()
            case "uptime": uptime = scan.number()
            case "sent": sent = scan.number()
            default: return
            }
        } while scan.take(",")
    }

    /// Reads the fields of a frame in Protocol Buffers.
    init(protobuf payload: [UInt8]) throws(Rejection) {
        var reader = WireReader(payload)
        let end = payload.count
        while reader.position < end {
            let (number, type) = try reader.tag(before: end)
            switch (number, type) {
            case (1, .bytes): schema = Self.text(payload[try reader.range(before: end)])
            case (2, .bytes): boot = Self.text(payload[try reader.range(before: end)])
            case (3, .varint): sequence = Double(try reader.varint(before: end))
            case (4, .fixed64): uptime = Double(bitPattern: try reader.fixed64(before: end))
            case (5, .fixed64): sent = Double(bitPattern: try reader.fixed64(before: end))
            default: try reader.skip(number, type, before: end, depth: 0)
            }
        }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}

/// Reads texts without escapes, and numbers, from the beginning of JSON.
private struct PlainScan {
    let bytes: [UInt8]
    private var index = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Passes over white space and `character`; false where another follows.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        while index < bytes.count, bytes[index] <= UInt8(ascii: " ") { index += 1 }
        guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    /// The text that follows; nil where none does, or one with escapes.
    mutating func text() -> String? {
        guard take("\"") else { return nil }
        let start = index
        while index < bytes.count, bytes[index] != UInt8(ascii: "\""), bytes[index] != UInt8(ascii: "\\") { index += 1 }
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return nil }
        index += 1
        return String(decoding: bytes[start..<index - 1], as: UTF8.self)
    }

    /// The number that follows; nil where none does.
    mutating func number() -> Double? {
        while index < bytes.count, bytes[index] <= UInt8(ascii: " ") { index += 1 }
        let start = index
        while index < bytes.count, bytes[index] > UInt8(ascii: " "), bytes[index] != UInt8(ascii: ","),
            bytes[index] != UInt8(ascii: "}")
        {
            index += 1
        }
        return Double(String(decoding: bytes[start..<index], as: UTF8.self))
    }
}
