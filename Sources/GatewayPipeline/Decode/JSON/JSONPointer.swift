/// A place in a JSON document (RFC 6901), other than the whole of it.
struct JSONPointer: Sendable, Equatable {
    /// As it is written.
    let text: String
    private let tokens: [String]

    /// Reads a pointer; nil for a text that is none.
    init?(_ text: String) {
        // By scalars: a combining mark behind a slash is the first character of a key.
        guard text.unicodeScalars.first == "/" else { return nil }
        var tokens: [String] = []
        for token in text.unicodeScalars.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let token = Self.unescaped(token) else { return nil }
            tokens.append(token)
        }
        self.text = text
        self.tokens = tokens
    }

    /// The value there; nil where there is none.
    func find(in root: JSONNode) throws(Rejection) -> JSONNode? {
        var node = root
        for token in tokens {
            switch node.kind {
            case .object:
                guard let member = try node.member(token) else { return nil }
                node = member
            case .array:
                guard let index = Self.index(token), index < node.uncheckedCount else { return nil }
                node = node.element(index)
            default: return nil
            }
        }
        return node
    }

    /// The value there; throws `missingField` where there is none, with the most similar key as a suggestion.
    func require(in root: JSONNode) throws(Rejection) -> JSONNode {
        if let node = try find(in: root) { return node }
        var parent: JSONNode? = root
        for token in tokens.dropLast() where parent?.kind == .object { parent = parent?.uncheckedMember(token) }
        let question = parent?.misspelling(of: tokens.last ?? "").map { "; \($0)" } ?? ""
        throw Rejection(.missingField, at: text, "the mapping needs this field, and it is missing\(question)")
    }

    /// The first node on the way to the place, from the root on, for which `isWanted` holds.
    func firstNode(in root: JSONNode, where isWanted: (JSONNode) -> Bool) -> JSONNode? {
        var node = root
        for token in tokens {
            if isWanted(node) { return node }
            switch node.kind {
            case .object:
                guard let member = node.uncheckedMember(token) else { return nil }
                node = member
            case .array:
                guard let index = Self.index(token), index < node.uncheckedCount else { return nil }
                node = node.element(index)
            default: return nil
            }
        }
        return isWanted(node) ? node : nil
    }

    private static func index(_ token: String) -> Int? {
        guard token.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return token == "0" || !token.hasPrefix("0") ? Int(token) : nil
    }

    private static func unescaped(_ token: Substring.UnicodeScalarView) -> String? {
        var result = String.UnicodeScalarView()
        var rest = token[...]
        while let scalar = rest.popFirst() {
            guard scalar == "~" else {
                result.append(scalar)
                continue
            }
            switch rest.popFirst() {
            case "0": result.append("~")
            case "1": result.append("/")
            default: return nil
            }
        }
        return String(result)
    }
}
