/// The bytes of a document, with checked reads.
struct ByteSource {
    let bytes: [UInt8]

    /// The 8, 4 or 1 bytes from `offset` on, which must be there.
    func load<Value: FixedWidthInteger & BitwiseCopyable>(_ type: Value.Type, at offset: Int) -> Value {
        bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: type)
    }

    /// The varint at `offset` and where it ends; nil when it passes `limit` or 64 bits.
    func varint(at offset: Int, limit: Int) -> (value: UInt64, end: Int)? {
        guard offset < limit else { return nil }
        let first = bytes[offset]
        if first < 0x80 { return (UInt64(first), offset + 1) }
        var value = UInt64(first & 0x7F)
        for index in 1..<10 {
            guard offset + index < limit else { return nil }
            let byte = bytes[offset + index]
            if index == 9, byte > 1 { return nil }
            value |= UInt64(byte & 0x7F) &<< UInt64(7 * index)
            if byte < 0x80 { return (value, offset + index + 1) }
        }
        return nil
    }

    /// The bytes that the varint at `offset` counts; nil when they pass `limit`.
    func counted(at offset: Int, limit: Int) -> Range<Int>? {
        guard let count = varint(at: offset, limit: limit), count.value <= UInt64(limit - count.end) else { return nil }
        return count.end..<count.end + Int(count.value)
    }

    /// Where the value at `offset` ends; nil when it is malformed or passes `limit`. Does not look into containers.
    func end(ofValueAt offset: Int, limit: Int) -> Int? {
        guard offset < limit, let tag = Tag(rawValue: bytes[offset]) else { return nil }
        switch tag {
        case .null, .false, .true: return offset + 1
        case .natural, .negative: return varint(at: offset + 1, limit: limit)?.end
        case .double: return limit - offset >= 9 ? offset + 9 : nil
        case .float: return limit - offset >= 5 ? offset + 5 : nil
        case .string, .bytes, .doubles, .packedDoubles, .floats, .integers, .packedIntegers:
            return counted(at: offset + 1, limit: limit)?.upperBound
        case .keyed, .unkeyed:
            guard limit - offset >= 5 else { return nil }
            let count = Int(load(UInt32.self, at: offset + 1))
            return count <= limit - offset - 5 ? offset + 5 + count : nil
        }
    }

    /// The UTF-8 text in `range`, which must be there; nil when it is none.
    func text(in range: Range<Int>) -> String? {
        bytes.withUnsafeBufferPointer { String(validating: $0[range], as: UTF8.self) }
    }
}
