/// An input, read from its start; past its end every byte is 0.
struct FuzzInput {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// Whether all bytes were read.
    var isEmpty: Bool { rest.isEmpty }

    /// The next byte.
    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// A number below `count`, from the next byte.
    mutating func index(below count: Int) -> Int { Int(byte()) % count }

    /// The bytes after the next one, as many as that says.
    mutating func bytes() -> [UInt8] {
        let count = min(Int(byte()), rest.count)
        defer { rest.removeFirst(count) }
        return Array(rest.prefix(count))
    }

    /// All bytes that were not read.
    mutating func remainder() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }
}
