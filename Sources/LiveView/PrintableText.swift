extension String {
    /// The text with everything a terminal could act on, hide or draw two columns wide spelt out as `\u{…}`.
    ///
    /// What is left is one column per character: printable ASCII and the Latin letters above it.
    package var printable: String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar.value {
            case 0x20...0x7E, 0xA1...0xAC, 0xAE...0x24F: text.unicodeScalars.append(scalar)
            default: text += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return text
    }

    /// The first so many scalars. A `Character` may be of any length, and limits nothing.
    package func start(scalars most: Int) -> String { String(unicodeScalars.prefix(most)) }

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

    /// Core Motion's `camelCase` as words: `notEntitled` becomes `not entitled`.
    package var words: String {
        reduce(into: "") { text, character in
            text += character.isUppercase && !text.isEmpty ? " " + character.lowercased() : String(character)
        }
    }
}

extension String {
    /// The text filled with spaces to at least `width` columns.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - count))
    }
}
