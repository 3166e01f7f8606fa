/// The first byte of every value in a document: what follows it.
enum Tag: UInt8 {
    /// Nothing follows.
    case null = 1, `false`, `true`
    /// An integer n from 0 on, as the varint n; a negative one, as the varint of its complement.
    case natural, negative
    /// 8 or 4 bytes, bit-exact.
    case double, float
    /// A varint count of bytes, then UTF-8 text.
    case string
    /// A varint count of bytes, then the elements of an array, 1, 8, 4 or 8 bytes each.
    case bytes, doubles, floats, integers
    /// 4 bytes that count what follows: a varint key and a value, again and again.
    case keyed
    /// 4 bytes that count what follows: values.
    case unkeyed
    /// A varint count of bytes, then the elements of an array of doubles or integers as `PackedColumn`.
    case packedDoubles, packedIntegers

    /// The tag in error messages.
    var name: String {
        switch self {
        case .null: "nil"
        case .false, .true: "a boolean"
        case .natural, .negative: "an integer"
        case .double: "a double"
        case .float: "a float"
        case .string: "a string"
        case .bytes, .doubles, .packedDoubles, .floats, .integers, .packedIntegers: "an array of numbers"
        case .keyed: "a keyed container"
        case .unkeyed: "an unkeyed container"
        }
    }
}

/// What a document may not exceed, and its fixed parts; numbers are little-endian, varints LEB128.
///
/// A document has 4 bytes of magic and version, 4 bytes with the offset of the table of names, the root value, the table, and the 8 bytes of
/// `Checksum` over all before. The table is a varint count, then each name as a varint count of bytes and UTF-8.
enum Layout {
    /// "FST" and the version of the format.
    static let magic: UInt32 = 0x01_54_53_46
    /// Where the offset of the table is.
    static let tableOffset = 4
    /// Where the root value is.
    static let root = 8
    /// The size of the checksum.
    static let checksum = 8
    /// The greatest number of values around a value.
    static let depth = 64

    #if !(_endian(little) && _pointerBitWidth(_64))
        #error("arrays are copied as they lie in memory: little-endian, 64-bit integers")
    #endif
}
