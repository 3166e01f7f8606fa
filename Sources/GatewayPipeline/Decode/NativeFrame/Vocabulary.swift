/// The names, and for some enumerations the raw values, of cases on the wire.
struct Vocabulary<Value: Sendable>: Sendable {
    private let words: [(name: String, raw: Int?, value: Value)]

    /// Every case by the name and raw value that it has itself.
    init(name: (Value) -> String, raw: (Value) -> Int?) where Value: CaseIterable {
        words = Value.allCases.map { (name($0), raw($0), $0) }
    }

    /// Every case by its string alone.
    init() where Value: CaseIterable & RawRepresentable<String> {
        self.init(name: \.rawValue, raw: { _ in nil })
    }

    /// The cases by their string, or by their position in `numbered`.
    init(numbered: [Value]) where Value: RawRepresentable<String> {
        words = numbered.enumerated().map { ($1.rawValue, $0, $1) }
    }

    /// Whether cases have raw values too.
    var isNumbered: Bool { words.contains { $0.raw != nil } }

    /// The names, with raw values in brackets, for a sentence.
    var description: String {
        words.map { word in word.raw.map { "\(word.name) (\($0))" } ?? word.name }.joined(separator: ", ")
    }

    /// The case of that name.
    func value(named name: String) -> Value? { words.first { $0.name == name }?.value }

    /// The case of that raw value.
    func value(raw: Int) -> Value? { words.first { $0.raw == raw }?.value }
}

extension FrameValue {
    /// The case of the name or raw value; throws `invalidValue` for an unknown one, else `wrongType`.
    func value<Value>(in vocabulary: Vocabulary<Value>) throws(Rejection) -> Value {
        let found: String
        if vocabulary.isNumbered, kind == .integer {
            let raw = try integer()
            if let value = vocabulary.value(raw: raw) { return value }
            found = "\(raw)"
        } else {
            let name = try string()
            if let value = vocabulary.value(named: name) { return value }
            found = name.quoted
        }
        throw rejection(.invalidValue, "found \(found), expected one of \(vocabulary.description)")
    }

    /// The case that the member named `key` names; nil where it is absent.
    func value<Value>(_ key: String, in vocabulary: Vocabulary<Value>) throws(Rejection) -> Value? {
        guard let node = try optional(key) else { return nil }
        return try node.value(in: vocabulary)
    }
}
