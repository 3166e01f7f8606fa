/// What a column of a log can hold; the raw value is its name in `--columns`.
package protocol ColumnField: Sendable, Hashable, CaseIterable, RawRepresentable<String> {
    /// The units by what stands in files, in small letters; the values are the ones that messages name.
    var units: [String: String] { get }
    /// Whether a minus before the column's name inverts it.
    var maySignChange: Bool { get }
}

extension ColumnField {
    /// The unit of that spelling; nil for none of this field's.
    func unit(_ text: some StringProtocol) -> String? {
        units[text.lowercased()] ?? units[text.lowercased().filter { !"°º˚ ".contains($0) }]
    }

    /// The units, for a sentence.
    fileprivate var unitsListed: String { Set(units.values).sorted().joined(separator: ", ") }

    /// The problem of a column for it whose unit is not known.
    func lacksUnit(_ column: Column, _ header: Header) -> ImportProblem {
        let reason = column.unit.map { "the unit \(ImportProblem.quoted($0)) is not known" } ?? "its name has no unit"
        return ImportProblem(
            "\(reason); say --columns \(rawValue)=\(column.name):UNIT with one of \(unitsListed)", file: header.file,
            line: header.line, column: column.name)
    }
}

/// Which column of a log holds what, as `--columns` says.
package struct NamedColumn<Field: ColumnField>: Sendable, Equatable {
    /// What it holds.
    package var field: Field
    /// Its name in the file.
    package var name: String
    /// Its unit; nil where the name contains it.
    package var unit: String?
    /// -1 where it is to be inverted, otherwise 1.
    package var sign = 1.0

    /// Reads `time=unix_s,depth=Depth:ft`, where a name may hold commas; throws when a field is unknown, named twice or without a column.
    package static func list(_ text: String) throws(ImportProblem) -> [Self] {
        var parts: [Substring] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            // Loggers write `Date Time, GMT+02:00`.
            if let last = parts.last, !part.contains("=") {
                parts[parts.count - 1] = text[last.startIndex..<part.endIndex]
            } else {
                parts.append(part)
            }
        }
        var columns: [Self] = []
        for part in parts {
            guard let equals = part.firstIndex(of: "="), let field = Field(rawValue: String(part[..<equals])) else {
                let fields = Field.allCases.map(\.rawValue).joined(separator: ", ")
                throw ImportProblem("\(ImportProblem.quoted(part)) is not FIELD=COLUMN[:UNIT] with a FIELD of \(fields)")
            }
            let name = part[part.index(after: equals)...]
            guard !name.isEmpty else { throw ImportProblem("\(field.rawValue) is given no column") }
            guard !columns.contains(where: { $0.field == field }) else {
                throw ImportProblem("\(field.rawValue) is given more than one column")
            }
            columns.append(try Self(field, name: name))
        }
        return columns
    }

    /// Whether a part of such a text begins with one of the fields.
    package static func names(any text: String) -> Bool {
        text.split(separator: ",").contains { Field(rawValue: String($0.prefix { $0 != "=" })) != nil }
    }

    private init(_ field: Field, name: Substring) throws(ImportProblem) {
        var name = name
        if field.maySignChange, name.first == "-", name.count > 1 {
            sign = -1
            name.removeFirst()
        }
        (self.field, self.name) = (field, String(name))
        guard !field.units.isEmpty, let colon = name.lastIndex(of: ":") else { return }
        let text = name[name.index(after: colon)...]
        guard let unit = field.unit(text), colon > name.startIndex else {
            throw ImportProblem(
                "\(ImportProblem.quoted(text)) is no unit of \(field.rawValue), expected one of \(field.unitsListed)")
        }
        (self.name, self.unit) = (String(name[..<colon]), unit)
    }
}
