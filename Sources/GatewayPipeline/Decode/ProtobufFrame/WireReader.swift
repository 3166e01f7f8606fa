/// Reads the wire format of Protocol Buffers (protobuf.dev/programming-guides/encoding) from one payload, field by field.
///
/// Throws `malformedProtobuf` with the byte, and `nestedTooDeep` for groups.
struct WireReader {
    /// How the value of a field is written.
    enum WireType: UInt64 {
        case varint = 0
        case fixed64, bytes, groupStart, groupEnd, fixed32
    }

    /// The payload.
    let bytes: [UInt8]
    /// The byte that is read next.
    private(set) var position = 0

    /// A reader at the first byte.
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads the number and the wire type of the field that begins here.
    mutating func tag(before end: Int) throws(Rejection) -> (number: Int, type: WireType) {
        let start = position
        let tag = try varint(before: end)
        guard tag >> 3 > 0, tag <= UInt64(UInt32.max) else { throw Self.malformed("a field has no valid number", at: start) }
        guard let type = WireType(rawValue: tag & 7) else { throw Self.malformed("a field has no valid wire type", at: start) }
        return (Int(tag >> 3), type)
    }

    /// Reads an integer of at most 64 bits.
    mutating func varint(before end: Int) throws(Rejection) -> UInt64 {
        let start = position
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while position < end {
            let byte = bytes[position]
            position += 1
            guard shift < 63 || byte <= 1 else { throw Self.malformed("an integer has more than 64 bits", at: start) }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw Self.malformed("the payload ends within an integer", at: start)
    }

    /// Reads eight bytes, the lowest first.
    mutating func fixed64(before end: Int) throws(Rejection) -> UInt64 {
        try take(8, before: end).reversed().reduce(0) { $0 << 8 | UInt64(bytes[$1]) }
    }

    /// Reads a length and passes over so many bytes; their range.
    mutating func range(before end: Int) throws(Rejection) -> Range<Int> {
        let start = position
        let length = try varint(before: end)
        guard length <= UInt64(end - position) else {
            throw Self.malformed("a length is greater than what follows it", at: start)
        }
        return try take(Int(length), before: end)
    }

    /// Passes over the value of field `number`; groups may stand `depth` deep inside one another.
    mutating func skip(_ number: Int, _ type: WireType, before end: Int, depth: Int) throws(Rejection) {
        switch type {
        case .varint: _ = try varint(before: end)
        case .fixed64: _ = try take(8, before: end)
        case .fixed32: _ = try take(4, before: end)
        case .bytes: _ = try range(before: end)
        case .groupEnd: throw Self.malformed("a group ends that has not begun", at: position)
        case .groupStart:
            guard depth > 0 else { throw Rejection(.nestedTooDeep, "groups are nested too deep at byte \(position)") }
            while true {
                let inner = try tag(before: end)
                if inner.type == .groupEnd {
                    guard inner.number == number else { throw Self.malformed("another group ends than began last", at: position) }
                    return
                }
                try skip(inner.number, inner.type, before: end, depth: depth - 1)
            }
        }
    }

    /// The range of the value that begins here, of a repeated field of wire type `element`: one element, or packed ones.
    mutating func elements(_ type: WireType, of element: WireType, before end: Int) throws(Rejection) -> Range<Int> {
        switch (type, element) {
        case (.bytes, _): return try range(before: end)
        case (_, .fixed64): return try take(8, before: end)
        case (_, .fixed32): return try take(4, before: end)
        default:
            let start = position
            _ = try varint(before: end)
            return start..<position
        }
    }

    /// Goes to a byte that was passed over.
    mutating func move(to position: Int) { self.position = position }

    private mutating func take(_ count: Int, before end: Int) throws(Rejection) -> Range<Int> {
        guard count <= end - position else { throw Self.malformed("the payload ends within a value", at: position) }
        defer { position += count }
        return position..<position + count
    }

    /// A rejection of the payload for a fault at byte `position`.
    static func malformed(_ detail: String, at position: Int) -> Rejection {
        Rejection(.malformedProtobuf, "\(detail), at byte \(position)")
    }
}
