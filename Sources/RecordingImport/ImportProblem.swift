/// Why an export cannot be imported: the file, the line, the column, and the reason.
package struct ImportProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file as it was named; nil where no file is concerned.
    package var file: String?
    /// The line from 1; nil where the whole file is meant.
    package var line: Int?
    /// The name of the column, if one is concerned.
    package var column: String?
    /// What is wrong, and where possible what to do.
    package var reason: String

    /// A problem with the whole of `file`, or with one place in it.
    package init(_ reason: String, file: String? = nil, line: Int? = nil, column: String? = nil) {
        self.reason = reason
        self.file = file
        self.line = line
        self.column = column
    }

    /// `file:line: column "name": reason`, as far as they are known.
    package var description: String {
        var place = file.map { Self.printable($0.unicodeScalars) } ?? ""
        if let line { place += ":\(line)" }
        if !place.isEmpty { place += ": " }
        if let column { place += "column \(Self.quoted(column)): " }
        return place + reason
    }

    /// The text in quotes: what does not print is replaced, and what is long is cut.
    static func quoted(_ text: some StringProtocol) -> String {
        let start = text.unicodeScalars.prefix(40)
        return "\"\(printable(start))\(start.endIndex == text.unicodeScalars.endIndex ? "" : "...")\""
    }

    private static func printable(_ text: some Sequence<Unicode.Scalar>) -> String {
        String(String.UnicodeScalarView(text.map { isPrintable($0) ? $0 : "?" }))
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
