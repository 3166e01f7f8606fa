extension JSONText {
    /// A place of the text.
    struct Place {
        /// Its JSON pointer; no key of a sample needs escaping.
        var pointer: String
        /// What stands there.
        var value: JSONText
    }

    /// Every place but the root, outer ones first.
    var places: [Place] {
        let children: [(String, JSONText)]
        switch self {
        case .object(let members): children = members.map { ($0.key, $0.value) }
        case .array(let elements): children = elements.enumerated().map { ("\($0)", $1) }
        case .raw: children = []
        }
        return children.flatMap { key, value in
            [Place(pointer: "/\(key)", value: value)]
                + value.places.map { Place(pointer: "/\(key)\($0.pointer)", value: $0.value) }
        }
    }

    /// Whether it is a string.
    var isString: Bool { if case .raw(let text) = self { text.hasPrefix("\"") } else { false } }

    /// An object with its first member twice; nil for an empty one, and for what is no object.
    var withFirstMemberTwice: JSONText? {
        guard case .object(let members) = self, let first = members.first else { return nil }
        return .object([first] + members)
    }
}
