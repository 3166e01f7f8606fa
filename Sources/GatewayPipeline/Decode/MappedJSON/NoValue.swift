internal import TelemetryModel

/// What stands in a payload in place of a value.
enum NoValue {
    private static let longest = 64

    /// Whether `text` is blank or such a word, in either case and with spaces around it.
    static func isNamed(_ text: String) -> Bool {
        guard text.utf8.count <= longest else { return false }
        return NoValueWords.all.contains(text.trimmingSpaces.lowercased())
    }

    /// Whether the bytes of a whole payload are, with or without quotation marks.
    static func isNamed(_ bytes: [UInt8]) -> Bool {
        guard bytes.count <= longest, let text = String(validating: bytes, as: UTF8.self) else { return false }
        let trimmed = text.trimmingSpaces
        let isQuoted = trimmed.count > 1 && trimmed.first == trimmed.last && (trimmed.first == "\"" || trimmed.first == "'")
        return isNamed(String(isQuoted ? trimmed.dropFirst().dropLast() : trimmed))
    }

    /// The byte offset of the first such word outside the strings of a text that is not JSON, such as Python's `{"depth": None}`; nil where
    /// there is none.
    static func offset(in bytes: [UInt8]) -> Int? {
        // What JSON has itself, or a sign that something else is wrong with.
        BareWord.offset(in: bytes) { $0 != "null" && !$0.hasPrefix("-") && isNamed($0) }
    }
}
