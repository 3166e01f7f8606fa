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

    /// Core Motion's `camelCase` as words: `notEntitled` becomes `not entitled`.
    package var words: String {
        reduce(into: "") { text, character in
            text += character.isUppercase && !text.isEmpty ? " " + character.lowercased() : String(character)
        }
    }
}
