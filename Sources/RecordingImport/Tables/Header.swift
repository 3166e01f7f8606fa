/// A column of a table.
struct Column: Equatable {
    /// Its place, from 0.
    var index: Int
    /// Its whole name in the file.
    var name: String
    /// The name without a unit in brackets after it.
    var title: String
    /// The unit in brackets after the name, `(G)` or `[m]`; nil when there is none.
    var unit: String?
    /// The zone of its times, which stands after the name; nil when there is none.
    var zone: LocalZone?

    init(index: Int, name: String) {
        self.index = index
        self.name = name
        (title, unit) = (name, nil)
        for (open, close) in [("(", ")"), ("[", "]")] where name.hasSuffix(close) {
            guard let bracket = name.lastIndex(of: Character(open)) else { continue }
            title = Self.trimmed(name[..<bracket])
            unit = Self.trimmed(name[name.index(after: bracket)...].dropLast())
        }
        // Loggers write `Temperature, °C`, and `Date Time, GMT+02:00`.
        guard unit == nil, let comma = name.lastIndex(of: ",") else { return }
        let last = Self.trimmed(name[name.index(after: comma)...])
        if last.hasPrefix("GMT"), let zone = LocalZone(String(last.dropFirst(3))) {
            (title, self.zone) = (Self.trimmed(name[..<comma]), zone)
        } else if !last.isEmpty, last.utf8.count <= Self.longestUnit {
            (title, unit) = (Self.trimmed(name[..<comma]), last)
        }
    }

    /// Behind a comma: a longer text is no unit.
    private static let longestUnit = 8

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

/// The names of a table's columns.
struct Header {
    /// The file, to be named when a column is missing.
    let file: String
    /// The line it stands on, from 1.
    let line: Int
    /// The columns in the file's order.
    let columns: [Column]

    init(_ row: Row, file: String) {
        self.file = file
        line = row.line
        columns = (row.cells ?? []).indices.map { Column(index: $0, name: row.text($0)) }
    }

    /// The column of that title or, failing that, whole name; nil without one. Throws when there are several.
    func find(_ title: String) throws(ImportProblem) -> Column? {
        let found = columns.filter { $0.title == title || $0.name == title }
        guard found.count <= 1 else {
            let places = found.map { "\($0.index + 1)" }.joined(separator: " and ")
            throw ImportProblem("stands there more than once (columns \(places))", file: file, line: line, column: title)
        }
        return found.first
    }

    /// The columns of those titles; throws with all that are missing.
    func require(_ titles: [String]) throws(ImportProblem) -> [Column] {
        var found: [Column] = []
        var missing: [String] = []
        for title in titles {
            if let column = try find(title) { found.append(column) } else { missing.append(title) }
        }
        guard missing.isEmpty else {
            throw ImportProblem("no column \(missing.joined(separator: ", ")); \(listing)", file: file, line: line)
        }
        return found
    }

    /// The names of the columns, for a sentence.
    var listing: String {
        let names = columns.prefix(40).map { ImportProblem.quoted($0.name) }.joined(separator: ", ")
        return "the header has \(names)\(columns.count > 40 ? ", ..." : "")"
    }
}
