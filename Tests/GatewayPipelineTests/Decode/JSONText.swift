/// A JSON text under construction, so that a test can start from a valid frame and edit one place of it.
indirect enum JSONText: Sendable {
    case object([(key: String, value: JSONText)])
    case array([JSONText])
    /// Written as it stands, well-formed or not.
    case raw(String)

    /// The whole text.
    var text: String {
        switch self {
        case .object(let members): "{" + members.map { "\"\($0.key)\":\($0.value.text)" }.joined(separator: ",") + "}"
        case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
        case .raw(let text): text
        }
    }

    /// The text's bytes.
    var payload: [UInt8] { Array(text.utf8) }

    /// The same text with the place at `pointer` written as `text`; taken away when nil, added when it was not there.
    func with(_ pointer: String, _ text: String?) -> Self {
        replacing(pointer.split(separator: "/").map(String.init)[...], text.map(Self.raw)) ?? .raw("")
    }

    private func replacing(_ path: ArraySlice<String>, _ value: Self?) -> Self? {
        guard let step = path.first else { return value }
        switch self {
        case .object(var members):
            let old = members.firstIndex { $0.key == step }
            let new = old.flatMap { members[$0].value.replacing(path.dropFirst(), value) } ?? value
            if let old { members.remove(at: old) }
            if let new { members.insert((step, new), at: old ?? members.count) }
            return .object(members)
        case .array(var elements):
            guard let index = Int(step), elements.indices.contains(index) else { return self }
            let new = elements[index].replacing(path.dropFirst(), value)
            elements.replaceSubrange(index...index, with: new.map { [$0] } ?? [])
            return .array(elements)
        case .raw: return self
        }
    }
}

extension JSONText: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral,
    ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral
{
    init(dictionaryLiteral elements: (String, JSONText)...) { self = .object(elements.map { ($0, $1) }) }
    init(arrayLiteral elements: JSONText...) { self = .array(elements) }
    init(stringLiteral value: String) { self = .raw("\"\(value)\"") }
    init(floatLiteral value: Double) { self = .raw("\(value)") }
    init(integerLiteral value: Int) { self = .raw("\(value)") }
}
