/// The lines of one device's entry in a registry file, in which keys are set and removed; comments and order stay.
struct RegistryLines {
    private var lines: [String]
    private let indent: Int

    /// The lines from that of the device's id on, which has `indent` blanks in front.
    init(_ lines: [String], indent: Int) { (self.lines, self.indent) = (lines, indent) }

    /// The lines with `key` set to `value`, or without it where that is nil; nil where they are written in a way that is not understood.
    func setting(_ key: String, to value: String?) -> [String]? {
        guard let first = lines.first, let colon = first.firstIndex(of: ":") else { return nil }
        let rest = first[first.index(after: colon)...]
        let isBlock = rest.allSatisfy(\.isWhitespace) || rest.firstMatch(of: /^\s+#/) != nil
        return isBlock ? settingInBlock(key, to: value) : settingInLine(key, to: value, head: first[...colon], rest: rest)
    }

    // MARK: In one line

    private func settingInLine(_ key: String, to value: String?, head: Substring, rest: Substring) -> [String]? {
        let lead = rest.prefix(while: \.isWhitespace)
        guard lines.count == 1, rest.dropFirst(lead.count).first == "{",
            let (members, end) = Self.members(rest.dropFirst(lead.count + 1))
        else { return nil }
        var kept = members
        let place = kept.firstIndex { $0.firstMatch(of: /^["']?([A-Za-z]+)["']?\s*:/).map { String($0.1) } == key }
        switch (place, value) {
        case (let place?, let value?): kept[place] = "\(key): \(value)"
        case (let place?, nil): kept.remove(at: place)
        case (nil, let value?): kept.append("\(key): \(value)")
        case (nil, nil): break
        }
        return ["\(head)\(lead)" + (kept.isEmpty ? "{}" : "{ \(kept.joined(separator: ", ")) }") + end]
    }

    /// The members of a flow mapping behind its brace, and what follows it; nil where it does not end in the line.
    private static func members(_ text: Substring) -> (members: [String], end: String)? {
        var (members, depth, quote): ([String], Int, Character?) = ([], 0, nil)
        var member = ""
        for (index, character) in zip(text.indices, text) {
            if let open = quote {
                if character == open { quote = nil }
            } else {
                switch character {
                case "\"", "'": quote = character
                case "[", "{": depth += 1
                case "]": depth -= 1
                case "}" where depth > 0: depth -= 1
                case "}":
                    if !member.allSatisfy(\.isWhitespace) { members.append(trimmed(member)) }
                    return (members, String(text[text.index(after: index)...]))
                case "," where depth == 0:
                    members.append(trimmed(member))
                    member = ""
                    continue
                default: break
                }
            }
            member.append(character)
        }
        return nil
    }

    private static func trimmed(_ text: String) -> String {
        String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }

    // MARK: In lines of their own

    private func settingInBlock(_ key: String, to value: String?) -> [String]? {
        var result = lines
        let own = lines.dropFirst().first { !Self.isBlank($0) && !Self.isComment($0) }.map(Self.width) ?? indent + 2
        let line = value.map { String(repeating: " ", count: own) + "\(key): \($0)" }
        guard
            let start = lines.indices.dropFirst().first(where: { Self.width(lines[$0]) == own && Self.key(of: lines[$0]) == key })
        else {
            if let line { result.insert(line, at: 1) }
            return result
        }
        let after = lines[(start + 1)...].firstIndex { !Self.isBlank($0) && Self.width($0) <= own } ?? lines.endIndex
        let last = lines[start..<after].lastIndex { !Self.isBlank($0) } ?? start
        let comment = last == start ? lines[start].firstMatch(of: /\s+#.*$/).map { String($0.0) } ?? "" : ""
        result.replaceSubrange(start...last, with: line.map { [$0 + comment] } ?? [])
        return result
    }

    private static func key(of line: String) -> String? {
        line.firstMatch(of: /^\s*["']?([A-Za-z]+)["']?\s*:/).map { String($0.1) }
    }

    private static func isBlank(_ line: String) -> Bool { line.allSatisfy(\.isWhitespace) }
    private static func isComment(_ line: String) -> Bool { line.drop { $0 == " " }.hasPrefix("#") }
    private static func width(_ line: String) -> Int { line.prefix { $0 == " " }.count }
}
