/// Numbers that are not finite, which JSON does not allow and many programs write.
enum NonFiniteNumber {
    private static let names: Set<String> = ["nan", "inf", "infinity"]

    /// Whether `text` names a number that is not finite, with or without a sign, in either case.
    static func isNamed(_ text: String) -> Bool {
        let unsigned = text.first.map { $0 == "-" || $0 == "+" } == true ? text.dropFirst() : text[...]
        return names.contains(unsigned.lowercased())
    }

    /// The byte offset of the first number that is not finite outside the strings of a text that is not JSON; nil where there is
    /// none.
    static func offset(in bytes: [UInt8]) -> Int? {
        BareWord.offset(in: bytes) { isNamed($0) || Double($0)?.isInfinite == true }
    }
}
