extension String {
    /// The text in at most `width` columns, at least 1; of one that is longer the end is cut, with an ellipsis.
    func cut(to width: Int) -> String {
        count > width ? prefix(width - 1) + "…" : self
    }

    /// A name in at most `width` columns, at least 1; of one that is longer the middle is cut, because names differ at their ends.
    func shortened(to width: Int) -> String {
        guard count > width else { return self }
        let end = width / 2
        return "\(prefix(width - 1 - end))…\(suffix(end))"
    }

    /// The words of the text as lines of at most `width` columns; only a longer word makes a longer line.
    func wrapped(to width: Int) -> [String] {
        split(separator: " ").reduce(into: [String]()) { lines, word in
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] += " \(word)"
            } else {
                lines.append(String(word))
            }
        }
    }

    /// The text filled with spaces to at least `width` columns.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - count))
    }
}
