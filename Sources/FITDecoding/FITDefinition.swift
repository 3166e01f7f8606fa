/// What the data messages of one local type hold.
struct FITDefinition {
    /// A field of the message.
    struct Field {
        /// Its number in the message's profile.
        var number: UInt8
        /// Where it begins in the message, in bytes.
        var start: Int
        /// How many bytes it takes.
        var size: Int
        /// What its bytes are.
        var type: BaseType?
    }

    /// The types of FIT by the low five bits of their number.
    enum BaseType: UInt8 {
        case enumeration, sint8, uint8, sint16, uint16, sint32, uint32, string, float32, float64
        case uint8z, uint16z, uint32z, byte, sint64, uint64, uint64z

        /// The bytes of one element.
        var size: Int {
            switch self {
            case .enumeration, .sint8, .uint8, .string, .uint8z, .byte: 1
            case .sint16, .uint16, .uint16z: 2
            case .sint32, .uint32, .float32, .uint32z: 4
            case .float64, .sint64, .uint64, .uint64z: 8
            }
        }
    }

    /// The number of the message in the profile.
    let message: UInt16
    /// Whether numbers have their most significant byte first.
    let isBigEndian: Bool
    /// Without those that developers added.
    let fields: [Field]
    /// The bytes of one data message, developers' fields included.
    let size: Int

    /// The bytes of a definition message that `bytes` begin, without its header byte; nil where they are too few to tell.
    static func length(_ bytes: ArraySlice<UInt8>, hasDeveloperFields: Bool) -> Int? {
        guard bytes.count >= 5 else { return nil }
        let fields = 5 + 3 * Int(bytes[bytes.startIndex + 4])
        guard hasDeveloperFields else { return fields }
        guard bytes.count > fields else { return nil }
        return fields + 1 + 3 * Int(bytes[bytes.startIndex + fields])
    }

    /// Reads a definition message without its header byte; nil where its byte order is none.
    init?(_ bytes: ArraySlice<UInt8>, hasDeveloperFields: Bool) {
        let bytes = Array(bytes)
        guard bytes[1] <= 1 else { return nil }
        isBigEndian = bytes[1] == 1
        message = isBigEndian ? UInt16(bytes[2]) << 8 | UInt16(bytes[3]) : UInt16(bytes[3]) << 8 | UInt16(bytes[2])
        var fields: [Field] = []
        var start = 0
        for index in 0..<Int(bytes[4]) {
            let place = 5 + 3 * index
            let size = Int(bytes[place + 1])
            fields.append(
                Field(number: bytes[place], start: start, size: size, type: BaseType(rawValue: bytes[place + 2] & 0x1F)))
            start += size
        }
        if hasDeveloperFields {
            let count = 5 + 3 * Int(bytes[4])
            for index in 0..<Int(bytes[count]) { start += Int(bytes[count + 1 + 3 * index + 1]) }
        }
        self.fields = fields
        size = start
    }
}
