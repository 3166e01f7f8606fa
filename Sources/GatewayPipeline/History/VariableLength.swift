/// Whole numbers in as few bytes as they need (LEB128), negative ones folded between the others (zigzag), as in Protocol Buffers.
enum VariableLength {
    /// Appends one number.
    static func append(_ number: Int64, to bytes: inout [UInt8]) {
        var rest = UInt64(bitPattern: (number &<< 1) ^ (number &>> 63))
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest &>>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Appends the differences of each number from the one before it; the first from 0.
    static func append(differencesOf numbers: some Sequence<Int64>, to bytes: inout [UInt8]) {
        var previous: Int64 = 0
        for number in numbers {
            append(number &- previous, to: &bytes)
            previous = number
        }
    }

    /// Appends the differences of the differences: 0 where the numbers are evenly spaced.
    static func append(differencesTwiceOf numbers: some Sequence<Int64>, to bytes: inout [UInt8]) {
        var (previous, step): (Int64, Int64) = (0, 0)
        for number in numbers {
            let next = number &- previous
            append(next &- step, to: &bytes)
            (previous, step) = (number, next)
        }
    }

    /// Reads numbers in the order in which they were appended.
    struct Reader {
        private let bytes: [UInt8]
        private var position: Int

        init(_ bytes: [UInt8], from position: Int) {
            self.bytes = bytes
            self.position = position
        }

        /// The next number; nil at the end, or where there is none.
        mutating func next() -> Int64? {
            var (value, shift): (UInt64, UInt64) = (0, 0)
            while position < bytes.count, shift < 64 {
                let byte = bytes[position]
                position += 1
                value |= UInt64(byte & 0x7F) &<< shift
                if byte < 0x80 { return Int64(bitPattern: value &>> 1) ^ -Int64(bitPattern: value & 1) }
                shift += 7
            }
            return nil
        }

        /// `count` numbers of which the differences were appended; nil where there are fewer, or one is out of range.
        mutating func differences(_ count: Int) -> [Int16]? {
            var numbers: [Int16] = []
            numbers.reserveCapacity(count)
            var value: Int64 = 0
            for _ in 0..<count {
                guard let difference = next(), let number = Int16(exactly: value &+ difference) else { return nil }
                value = Int64(number)
                numbers.append(number)
            }
            return numbers
        }

        /// `count` numbers of which the differences of the differences were appended; nil where there are fewer.
        mutating func differencesTwice(_ count: Int) -> [Int64]? {
            var numbers: [Int64] = []
            numbers.reserveCapacity(count)
            var (value, step): (Int64, Int64) = (0, 0)
            for _ in 0..<count {
                guard let difference = next() else { return nil }
                step = step &+ difference
                value = value &+ step
                numbers.append(value)
            }
            return numbers
        }
    }
}
