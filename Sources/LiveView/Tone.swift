/// What a text means, which decides its colour.
package enum Tone: Sendable, Hashable, CaseIterable {
    /// Background: nothing to look at.
    case quiet
    /// A name or a heading.
    case strong
    /// As it should be.
    case plain
    /// Something a person hopes for.
    case good
    /// Worth a look.
    case notice
    /// Getting dangerous.
    case warning
    /// Dangerous, refused or broken.
    case danger
}

/// A piece of text and what it means; safe to print.
package struct Phrase: Sendable, Hashable {
    /// The text, one column per character.
    package let text: String

    /// What it means.
    package let tone: Tone

    init(_ text: String, _ tone: Tone = .plain) {
        self.text = text
        self.tone = tone
    }
}
