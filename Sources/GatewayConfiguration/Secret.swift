/// A text that is never printed: not by `description`, not by `dump`, not as part of another value.
package struct Secret: Sendable, Equatable {
    /// The text itself. Pass it to the broker only.
    package let reveal: String

    /// Wraps a text.
    package init(_ text: String) { reveal = text }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A fixed word in place of the text.
    package var description: String { "<hidden>" }
    /// The fixed word of `description`.
    package var debugDescription: String { description }
    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
