/// The id of a device or of a boot: 1 to 64 of `A-Z`, `a-z`, `0-9`, `_` and `-`.
public struct WireID: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The text of the id.
    public let text: String

    private static let longest = 64

    /// Checks `text`; nil when it is empty, longer than 64 bytes or holds another character.
    public init?(_ text: String) {
        guard (1...Self.longest).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else { return nil }
        self.text = text
    }

    /// Makes an id of any text: other characters become `_`, and what follows the 64th character is left out.
    ///
    /// Different texts can give one id, so do not make ids of names that users choose.
    public init(cleaning text: String) {
        let cleaned = text.unicodeScalars.prefix(Self.longest).map { scalar -> Character in
            scalar.isASCII && Self.isAllowed(UInt8(scalar.value)) ? Character(scalar) : "_"
        }
        self.text = cleaned.isEmpty ? "_" : String(cleaned)
    }

    /// A new id of 16 random hexadecimal digits, for a boot.
    public static func random() -> WireID {
        let digits = String(UInt64.random(in: 0...(.max)), radix: 16)
        return WireID(cleaning: String(repeating: "0", count: 16 - digits.count) + digits)
    }

    /// Reads the text; another text than an id is a decoding error.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = WireID(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no id of a device or boot")
        }
        self = id
    }

    /// Writes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// The text of the id.
    public var description: String { text }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
