/// An identifier that is safe in a topic level, a file name and a log line: `[A-Za-z0-9_-]{1,64}`.
///
/// ASCII only: no look-alike, wildcard, separator or control character is allowed.
public struct Identifier: Hashable, Sendable, Comparable, Codable, CustomStringConvertible {
    /// The identifier's text.
    public let rawValue: String

    /// Checks `text`; nil when it is empty, longer than 64 bytes or holds another character.
    public init?(_ text: String) {
        guard Self.isAllowed(text.utf8.span) else { return nil }
        rawValue = text
    }

    /// Checks `text`; nil when it is empty, longer than 64 bytes or holds another character.
    public init?(_ text: Substring) {
        guard Self.isAllowed(text.utf8.span) else { return nil }
        rawValue = String(text)
    }

    /// Makes an identifier of any text: other characters become `_`, and what follows the 64th character is left out.
    ///
    /// Different texts can give one identifier, so do not make those of devices of names that users choose.
    public init(cleaning text: String) {
        let cleaned = text.unicodeScalars.prefix(64).map { scalar -> Character in
            scalar.isASCII && Self.isAllowed(UInt8(scalar.value)) ? Character(scalar) : "_"
        }
        rawValue = cleaned.isEmpty ? "_" : String(cleaned)
    }

    /// A new identifier of 16 random hexadecimal digits, for a boot.
    public static func random() -> Self {
        let digits = String(UInt64.random(in: 0...(.max)), radix: 16)
        return Self(cleaning: String(repeating: "0", count: 16 - digits.count) + digits)
    }

    /// Reads what `encode(to:)` wrote; an invalid text is a decoding error.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an identifier")
        }
        self = value
    }

    /// Writes the text alone.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    /// The identifier's text.
    public var description: String { rawValue }

    /// Orders by the bytes of the text.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    private static func isAllowed(_ bytes: Span<UInt8>) -> Bool {
        guard (1...64).contains(bytes.count) else { return false }
        for index in bytes.indices where !isAllowed(bytes[index]) { return false }
        return true
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

/// The id of a device: its level of the topic. One device id has one clock.
public typealias DeviceID = Identifier

/// One run of a device's clock and counters; the scope of `seq` and of every timestamp.
public typealias BootID = Identifier
