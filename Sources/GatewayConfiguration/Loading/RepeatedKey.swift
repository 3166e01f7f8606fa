internal import Yams

/// The second entry of a key in a section that is written in lines; Yams names only the first.
struct RepeatedKey {
    /// The line of the second entry, from 1.
    let line: Int
    /// The text with that entry's lines empty, so that all other lines keep their numbers.
    let textWithoutIt: String

    /// Finds the entry of `key` that follows the one at `mark`; nil where the section is not written a line an entry.
    init?(_ key: String, after mark: Mark, in text: String) {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let indent = mark.column - 1
        guard indent >= 0, lines.indices.contains(mark.line - 1), Self.entry(lines[mark.line - 1], key, indent) else {
            return nil
        }
        let later = lines.indices.dropFirst(mark.line).prefix { !Self.endsSection(lines[$0], indent) }
        guard let start = later.first(where: { Self.entry(lines[$0], key, indent) }) else { return nil }
        let end = lines.indices.dropFirst(start + 1).first { Self.endsSection(lines[$0], indent + 1) } ?? lines.endIndex
        for index in start..<end { lines[index] = "" }
        line = start + 1
        textWithoutIt = lines.joined(separator: "\n")
    }

    private static func entry(_ line: Substring, _ key: String, _ indent: Int) -> Bool {
        guard Self.indent(of: line) == indent else { return false }
        let rest = line.dropFirst(indent)
        return ["", "\"", "'"].contains { quote in
            let start = quote + key + quote
            return rest.hasPrefix(start) && rest.dropFirst(start.count).first { $0 != " " } == ":"
        }
    }

    /// Whether a line stands further left than `indent`.
    private static func endsSection(_ line: Substring, _ indent: Int) -> Bool {
        let text = line.drop { $0 == " " }
        return !text.isEmpty && text != "\r" && !text.hasPrefix("#") && Self.indent(of: line) < indent
    }

    private static func indent(of line: Substring) -> Int { line.prefix { $0 == " " }.count }
}
