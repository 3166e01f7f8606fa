/// The meaning of a text, which decides its colour.
package enum Tone: Sendable, Hashable, CaseIterable {
    /// Background.
    case quiet
    /// What was known last.
    case was
    /// A name or a heading.
    case strong
    /// As it should be.
    case plain
    /// A success.
    case good
    /// Notable.
    case notice
    /// Getting dangerous.
    case warning
    /// Dangerous, refused or broken.
    case danger
}

/// A piece of text with its tone; safe to print.
package struct Phrase: Sendable, Hashable {
    /// The text, one column per character.
    package let text: String

    /// What it means.
    package let tone: Tone

    /// A text with a tone; the text must be safe to print.
    package init(_ text: String, _ tone: Tone = .plain) {
        self.text = text
        self.tone = tone
    }

    /// The parts that there are, with commas.
    package init(list parts: [String?], _ tone: Tone = .plain) {
        self.init(parts.compactMap(\.self).joined(separator: ", "), tone)
    }
}
