extension EncoderCore {
    /// Writes nil.
    func writeNil() { output.append(Tag.null) }

    /// Writes a boolean.
    func write(_ value: Bool) { output.append(value ? Tag.true : Tag.false) }

    /// Writes a signed integer.
    func write(signed value: Int64) {
        output.append(value < 0 ? Tag.negative : Tag.natural)
        output.append(varint: UInt64(bitPattern: value < 0 ? ~value : value))
    }

    /// Writes an unsigned integer.
    func write(unsigned value: UInt64) {
        output.append(Tag.natural)
        output.append(varint: value)
    }

    /// Writes the bits of a double.
    func write(_ value: Double) {
        output.append(Tag.double)
        output.append(value.bitPattern)
    }

    /// Writes the bits of a float.
    func write(_ value: Float) {
        output.append(Tag.float)
        output.append(value.bitPattern)
    }

    /// Writes text.
    func write(_ value: String) {
        output.append(Tag.string)
        output.append(counted: value)
    }

    /// Writes a value of one of the types that are doubles; false when `value` is of another type.
    func writeDouble<T>(_ value: T) -> Bool {
        guard MemoryLayout<T>.size == MemoryLayout<Double>.size, doubles.contains(ObjectIdentifier(T.self)) else { return false }
        write(unsafeBitCast(value, to: Double.self))
        return true
    }

    /// Writes an array of numbers at once; false when `value` is none. The types are compared because an empty array of any
    /// type casts to one of any other.
    func writeBlob<T>(_ value: T) -> Bool {
        if T.self == [Double].self, let array = value as? [Double] {
            write(array)
        } else if T.self == [UInt8].self, let array = value as? [UInt8] {
            write(.bytes, array)
        } else if T.self == [Int].self, let array = value as? [Int] {
            write(array)
        } else if T.self == [Float].self, let array = value as? [Float] {
            write(.floats, array)
        } else {
            return false
        }
        return true
    }

    /// Writes an array of doubles, packed where that is shorter.
    func write(_ array: [Double]) { if !write(packed: .packedDoubles, array) { write(.doubles, array) } }

    /// Writes an array of integers, packed where that is shorter.
    func write(_ array: [Int]) { if !write(packed: .packedIntegers, array) { write(.integers, array) } }

    private func write(packed tag: Tag, _ array: [some PackedElement]) -> Bool {
        guard let size = PackedColumn.size(of: array) else { return false }
        output.append(tag)
        output.append(varint: UInt64(size))
        PackedColumn.append(array, to: &output)
        return true
    }

    private func write<Element: BitwiseCopyable>(_ tag: Tag, _ array: [Element]) {
        output.append(tag)
        array.withUnsafeBytes { output.append(counted: $0) }
    }
}
