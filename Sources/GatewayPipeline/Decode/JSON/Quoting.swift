extension Unicode.Scalar {
    /// Whether it can be printed in a log line unescaped: no control, format, separator, private or unassigned character.
    var isPrintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}

extension String {
    private static let longest = 40

    /// The text in quotation marks for a log line: at most 40 characters of it, unprintable ones escaped.
    var quoted: String { "\"" + shortened { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) } + "\"" }

    /// The text as one step of a JSON pointer, shortened and escaped as `quoted` is.
    var pointerToken: String {
        shortened { scalar in
            switch scalar {
            case "~": "~0"
            case "/": "~1"
            default: String(scalar)
            }
        }
    }

    private func shortened(_ escape: (Unicode.Scalar) -> String) -> String {
        let start = unicodeScalars.prefix(Self.longest)
        let text = start.map { $0.isPrintable ? escape($0) : "\\u{\(String($0.value, radix: 16))}" }.joined()
        return start.endIndex == unicodeScalars.endIndex ? text : text + "…"
    }
}
