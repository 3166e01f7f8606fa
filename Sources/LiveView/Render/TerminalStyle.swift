import GatewayPipeline

/// The colours of tones.
package struct TerminalStyle: Sendable, Hashable {
    /// Whether colours may be used at all.
    package var usesColor: Bool

    /// Creates a style.
    package init(usesColor: Bool) {
        self.usesColor = usesColor
    }

    /// The style by the environment: no colours where `NO_COLOR` is set to anything (no-color.org) or the terminal is dumb.
    package init(environment: [String: String]) {
        usesColor = environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// The text with the escape sequences of its tone around it.
    func paint(_ phrase: Phrase) -> String {
        guard usesColor, !phrase.text.isEmpty, let code = Self.code(of: phrase.tone) else { return phrase.text }
        return "\u{1B}[\(code)m\(phrase.text)\u{1B}[0m"
    }

    private static func code(of tone: Tone) -> String? {
        switch tone {
        case .plain: nil
        case .quiet, .was: "2"
        case .strong: "1"
        case .good: "32"
        case .notice: "36"
        case .warning: "33"
        case .danger: "1;31"
        }
    }
}
