internal import Yams

/// The lines of a YAML file, edited in place: what is not touched stays as it is written.
///
/// Entries are found by the parser, again before every edit. An edit of an unexpected layout can change the meaning of the text,
/// so the caller compares the content afterwards.
struct YAMLLines {
    /// A key with its value, and where it starts, from 0.
    private struct Entry {
        var key: Node
        var value: Node
        var line: Int
        var column: Int
    }

    private var lines: [String]
    private let lineEnd: String

    /// The lines of `text`.
    init(_ text: String) {
        lineEnd = text.contains("\r\n") ? "\r\n" : "\n"
        lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
    }

    /// The whole text.
    var text: String { lines.joined(separator: lineEnd) }

    /// The line of a key, from 1; nil when it is not there.
    func line(of path: [String]) throws -> Int? { try entry(path)?.key.mark?.line }

    // MARK: Edits

    /// Gives an entry another path.
    mutating func move(_ old: [String], to new: [String]) throws {
        guard let oldName = old.last, let newName = new.last else { return }
        if old.dropLast() == new.dropLast(), let entry = try entry(old) {
            replace(oldName, by: newName, line: entry.line, column: entry.column)
            return
        }
        for path in [old, new] { try writeInLines(path) }
        guard let entry = try entry(old) else { return }
        replace(oldName, by: newName, line: entry.line, column: entry.column)
        let block = extent(of: entry)
        let moved = lines[block].map { Self.indented($0, by: -entry.column) }
        lines.removeSubrange(block)
        try insert(moved, at: new)
    }

    /// Removes an entry and the comments above it.
    mutating func remove(_ path: [String]) throws {
        try writeInLines(path)
        if let entry = try entry(path) { lines.removeSubrange(extent(of: entry)) }
    }

    /// Writes `text` in place of a single value.
    mutating func replaceValue(of path: [String], by text: String) throws {
        guard case .scalar(let scalar) = try entry(path)?.value, let mark = scalar.mark else { return }
        let (line, column) = (mark.line - 1, mark.column - 1)
        for quoted in ["\"\(scalar.string)\"", "'\(scalar.string)'", scalar.string] {
            if replace(quoted, by: text, line: line, column: column) { return }
        }
    }

    // MARK: Lookup

    private func entry(_ path: [String]) throws -> Entry? {
        guard var node = try Yams.compose(yaml: text) else { return nil }
        var found: Entry?
        for name in path {
            guard let pair = node.mapping?.first(where: { $0.key.scalar?.string == name }), let mark = pair.key.mark else {
                return nil
            }
            found = Entry(key: pair.key, value: pair.value, line: mark.line - 1, column: mark.column - 1)
            node = pair.value
        }
        return found
    }

    /// The lines of an entry that stands in lines of its own: with the comments above it, without those above the next one.
    private func extent(of entry: Entry) -> Range<Int> {
        var start = entry.line
        while start > 0, isComment(lines[start - 1]), Self.indentation(of: lines[start - 1]) == entry.column { start -= 1 }
        var end = entry.line + 1
        while end < lines.count, !endsEntry(lines[end], at: entry.column) { end += 1 }
        while end > entry.line + 1, isBlank(lines[end - 1]) || isForeignComment(lines[end - 1], at: entry.column) { end -= 1 }
        return start..<end
    }

    private func endsEntry(_ line: String, at column: Int) -> Bool {
        !isBlank(line) && !isComment(line) && Self.indentation(of: line) <= column
    }

    private func isForeignComment(_ line: String, at column: Int) -> Bool {
        isComment(line) && Self.indentation(of: line) <= column
    }

    private func isBlank(_ line: String) -> Bool { line.allSatisfy(\.isWhitespace) }

    private func isComment(_ line: String) -> Bool { line.first { !$0.isWhitespace } == "#" }

    // MARK: Writing

    /// Inserts lines, the first without indentation, as the entry of a path whose last level they name.
    private mutating func insert(_ block: [String], at path: [String]) throws {
        var known = path.count - 1
        var parent: Entry?
        while known > 0, parent == nil {
            parent = try entry(Array(path[..<known]))
            if parent == nil { known -= 1 }
        }
        var column = 0
        var place = lines.count
        if let parent {
            column = (parent.value.mapping?.first?.key.mark?.column).map { $0 - 1 } ?? parent.column + 2
            place = extent(of: parent).upperBound
        }
        var added: [String] = []
        for name in path[known..<(path.count - 1)] {
            added.append(Self.indented("\(name):", by: column))
            column += 2
        }
        added += block.map { Self.indented($0, by: column) }
        if parent == nil {
            while let last = lines.last, isBlank(last) { lines.removeLast() }
            place = lines.count
            added = [""] + added + [""]
        }
        lines.insert(contentsOf: added, at: place)
    }

    /// Rewrites the top section of a path in lines where it, or a section on the way, stands in braces.
    private mutating func writeInLines(_ path: [String]) throws {
        guard let root = try Yams.compose(yaml: text), let name = path.first else { return }
        if isInBraces(root) {
            lines = try Self.block(root)
        } else if let top = try entry([name]), holdsBraces(top.value, path.dropFirst()) {
            let written = try Self.block(.mapping(Node.Mapping([(top.key, top.value)])))
            lines.replaceSubrange(extent(of: top), with: written.filter { !$0.isEmpty })
        }
    }

    private func holdsBraces(_ node: Node, _ path: ArraySlice<String>) -> Bool {
        guard let mapping = node.mapping, let name = path.first else { return false }
        if isInBraces(node) { return true }
        return mapping.first { $0.key.scalar?.string == name }.map { holdsBraces($0.value, path.dropFirst()) } ?? false
    }

    /// The parser does not keep the style of a mapping, but where it starts.
    private func isInBraces(_ node: Node) -> Bool {
        guard case .mapping = node, let mark = node.mark, lines.indices.contains(mark.line - 1) else { return false }
        return lines[mark.line - 1].unicodeScalars.dropFirst(mark.column - 1).first == "{"
    }

    private static func block(_ node: Node) throws -> [String] {
        let text = try Yams.serialize(node: inLines(node), width: -1, allowUnicode: true)
        return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private static func inLines(_ node: Node) -> Node {
        guard case .mapping(let mapping) = node else { return node }
        return .mapping(Node.Mapping(mapping.map { ($0.key, inLines($0.value)) }, mapping.tag, .block))
    }

    @discardableResult
    private mutating func replace(_ old: String, by new: String, line: Int, column: Int) -> Bool {
        guard lines.indices.contains(line) else { return false }
        let scalars = lines[line].unicodeScalars
        guard let start = scalars.index(scalars.startIndex, offsetBy: column, limitedBy: scalars.endIndex) else { return false }
        for text in [old, "\"\(old)\"", "'\(old)'"] where lines[line][start...].hasPrefix(text) {
            lines[line].replaceSubrange(start..<lines[line].index(start, offsetBy: text.count), with: new)
            return true
        }
        return false
    }

    private static func indentation(of line: String) -> Int { line.prefix { $0 == " " }.count }

    private static func indented(_ line: String, by columns: Int) -> String {
        if line.allSatisfy(\.isWhitespace) { return line }
        guard columns < 0 else { return String(repeating: " ", count: columns) + line }
        return String(line.dropFirst(min(-columns, indentation(of: line))))
    }
}
