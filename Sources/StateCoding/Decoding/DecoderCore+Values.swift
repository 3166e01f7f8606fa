extension DecoderCore {
    /// What the value at `spot` is.
    func tag(at spot: Spot) throws -> Tag {
        guard let tag = Tag(rawValue: bytes.bytes[spot.offset]) else { throw corrupted("malformed", depth: spot.depth) }
        return tag
    }

    /// The boolean at `spot`.
    func boolean(at spot: Spot) throws -> Bool {
        switch try tag(at: spot) {
        case .false: false
        case .true: true
        default: throw mismatch(Bool.self, at: spot)
        }
    }

    /// The integer at `spot`; throws when it does not fit.
    func integer<Value: FixedWidthInteger>(at spot: Spot) throws -> Value {
        let tag = try tag(at: spot)
        guard tag == .natural || tag == .negative else { throw mismatch(Value.self, at: spot) }
        guard let raw = bytes.varint(at: spot.offset + 1, limit: bytes.bytes.count)?.value else {
            throw corrupted("malformed", depth: spot.depth)
        }
        if tag == .natural {
            guard let value = Value(exactly: raw) else { throw misfit(Value.self, at: spot) }
            return value
        }
        guard let complement = Int64(exactly: raw), let value = Value(exactly: ~complement) else {
            throw misfit(Value.self, at: spot)
        }
        return value
    }

    /// The double at `spot`.
    func double(at spot: Spot) throws -> Double {
        guard try tag(at: spot) == .double else { throw mismatch(Double.self, at: spot) }
        return Double(bitPattern: bytes.load(UInt64.self, at: spot.offset + 1))
    }

    /// The float at `spot`.
    func float(at spot: Spot) throws -> Float {
        guard try tag(at: spot) == .float else { throw mismatch(Float.self, at: spot) }
        return Float(bitPattern: bytes.load(UInt32.self, at: spot.offset + 1))
    }

    /// The text at `spot`.
    func string(at spot: Spot) throws -> String {
        guard try tag(at: spot) == .string else { throw mismatch(String.self, at: spot) }
        guard let range = bytes.counted(at: spot.offset + 1, limit: bytes.bytes.count), let text = bytes.text(in: range)
        else { throw corrupted("not UTF-8", depth: spot.depth) }
        return text
    }

    /// The array of numbers at `spot`; nil when `type` is none, or the array was written element by element.
    func blob<T>(_ type: T.Type, at spot: Spot) throws -> T? {
        if T.self == [Double].self {
            return try packed(Double.self, .packedDoubles, at: spot) as? T ?? numbers(Double.self, .doubles, at: spot) as? T
        }
        if T.self == [UInt8].self { return try numbers(UInt8.self, .bytes, at: spot) as? T }
        if T.self == [Int].self {
            return try packed(Int.self, .packedIntegers, at: spot) as? T ?? numbers(Int.self, .integers, at: spot) as? T
        }
        if T.self == [Float].self { return try numbers(Float.self, .floats, at: spot) as? T }
        return nil
    }

    private func packed<Element: PackedElement>(_ type: Element.Type, _ tag: Tag, at spot: Spot) throws -> [Element]? {
        guard try self.tag(at: spot) == tag else { return nil }
        guard let range = bytes.counted(at: spot.offset + 1, limit: bytes.bytes.count),
            let numbers: [Element] = PackedColumn.numbers(in: bytes, range)
        else { throw corrupted("malformed", depth: spot.depth) }
        return numbers
    }

    private func numbers<Element: BitwiseCopyable>(
        _ type: Element.Type, _ tag: Tag, at spot: Spot
    ) throws -> [Element]? {
        guard try self.tag(at: spot) == tag else { return nil }
        let stride = MemoryLayout<Element>.stride
        guard let range = bytes.counted(at: spot.offset + 1, limit: bytes.bytes.count), range.count.isMultiple(of: stride)
        else { throw corrupted("malformed", depth: spot.depth) }
        // The standard library writes the count of every array it makes so, also of the one empty array that all threads share.
        if range.isEmpty { return [] }
        return [Element](unsafeUninitializedCapacity: range.count / stride) { numbers, count in
            bytes.bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(numbers).copyMemory(from: .init(rebasing: $0[range])) }
            count = range.count / stride
        }
    }
}

extension DecoderCore {
    /// A value of another type than asked for.
    func mismatch(_ type: Any.Type, at spot: Spot, expected: String? = nil) -> DecodingError {
        let found = (try? tag(at: spot))?.name ?? "nothing"
        return DecodingError.typeMismatch(
            type, context("expected \(expected ?? String(describing: type)), found \(found)", depth: spot.depth))
    }

    /// An integer that the type asked for cannot hold.
    func misfit(_ type: Any.Type, at spot: Spot) -> DecodingError {
        DecodingError.typeMismatch(type, context("an integer that does not fit \(type)", depth: spot.depth))
    }

    /// Bytes that no encoder writes.
    func corrupted(_ text: String, depth: Int) -> DecodingError { DecodingError.dataCorrupted(context(text, depth: depth)) }

    /// An element after the last one.
    func atEnd(_ type: Any.Type, depth: Int) -> DecodingError {
        DecodingError.valueNotFound(type, context("expected one more element", depth: depth))
    }

    private func context(_ text: String, depth: Int) -> DecodingError.Context {
        DecodingError.Context(codingPath: codingPath(depth: depth), debugDescription: text)
    }
}
