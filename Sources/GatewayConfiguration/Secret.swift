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

extension Secret {
    /// The password in a file, which is its only line. Throws why there is none, as the rest of a sentence that starts with the file.
    package static func read(_ file: String) throws(SettingFault) -> Secret {
        let text = try TextFile.read(file)
        let password = text.last?.isNewline == true ? text.dropLast() : text[...]
        guard !password.isEmpty, !password.contains(where: \.isNewline) else {
            throw SettingFault(message: "does not have one line that is not empty")
        }
        return Secret(String(password))
    }
}
