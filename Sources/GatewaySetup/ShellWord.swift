/// Texts as words of a shell's command line, for commands that are printed to be copied.
package enum ShellWord {
    /// The text, in quotes where it needs them.
    package static func quoted(_ text: String) -> String {
        let plain = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+:@%,=".contains($0)) }
        guard !plain || text.isEmpty else { return text }
        // By scalars: a quote and a combining mark behind it are one `Character`, and a shell reads bytes.
        return "'" + text.unicodeScalars.map { $0 == "'" ? #"'\''"# : String($0) }.joined() + "'"
    }
}
