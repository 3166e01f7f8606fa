/// An array of 8-byte numbers, each but the first by how much its step differs from the step before; bit-exact.
///
/// Times of samples that follow each other at an even rate take three to four bytes in place of eight, equal values and counts one. The first
/// element takes its 8 bytes. Of each other the bit pattern is taken as an integer, which in doubles of one sign grows with the size of the
/// number. The difference to the element before is the step; the difference of two steps is a varint whose lowest bit is the sign.
enum PackedColumn {
    private static let first = MemoryLayout<UInt64>.size

    /// How many bytes `array` takes packed; nil where that is not shorter than 8 bytes for each element.
    static func size(of array: [some PackedElement]) -> Int? {
        guard array.count > 1 else { return nil }
        var (size, steps) = (first, Steps(array[0]))
        for index in 1..<array.count {
            let bits = UInt64.bitWidth - (steps.encode(array[index]) | 1).leadingZeroBitCount
            size += (bits + 6) / 7
            guard size < first * array.count else { return nil }
        }
        return size
    }

    /// Appends `array`, which has an element.
    static func append(_ array: [some PackedElement], to output: inout ByteBuffer) {
        output.append(array[0].pattern)
        var steps = Steps(array[0])
        for index in 1..<array.count { output.append(varint: steps.encode(array[index])) }
    }

    /// The elements in `range` of `bytes`, which must be there; nil when they are malformed.
    static func numbers<Element: PackedElement>(in bytes: ByteSource, _ range: Range<Int>) -> [Element]? {
        guard range.count >= first else { return nil }
        let head = Element(pattern: bytes.load(UInt64.self, at: range.lowerBound))
        var (numbers, steps) = ([head], Steps(head))
        var offset = range.lowerBound + first
        while offset < range.upperBound {
            guard let change = bytes.varint(at: offset, limit: range.upperBound) else { return nil }
            numbers.append(Element(pattern: steps.decode(change.value)))
            offset = change.end
        }
        return numbers
    }

    /// The element before, and the step to it.
    private struct Steps {
        private var pattern: UInt64
        private var step: UInt64 = 0

        init(_ first: some PackedElement) { pattern = first.pattern }

        /// How the step to `number` differs from the step before, its sign in the lowest bit.
        mutating func encode(_ number: some PackedElement) -> UInt64 {
            let next = number.pattern &- pattern
            let change = Int64(bitPattern: next &- step)
            (pattern, step) = (number.pattern, next)
            return UInt64(bitPattern: (change &<< 1) ^ (change &>> 63))
        }

        /// The pattern of the element whose step differs by `change` from the step before.
        mutating func decode(_ change: UInt64) -> UInt64 {
            step = step &+ ((change &>> 1) ^ (0 &- (change & 1)))
            pattern = pattern &+ step
            return pattern
        }
    }
}

/// A number of 8 bytes.
protocol PackedElement {
    /// Its bits.
    var pattern: UInt64 { get }

    init(pattern: UInt64)
}

extension Double: PackedElement {
    var pattern: UInt64 { bitPattern }

    init(pattern: UInt64) { self.init(bitPattern: pattern) }
}

extension Int: PackedElement {
    var pattern: UInt64 { UInt64(bitPattern: Int64(self)) }

    init(pattern: UInt64) { self.init(truncatingIfNeeded: pattern) }
}
