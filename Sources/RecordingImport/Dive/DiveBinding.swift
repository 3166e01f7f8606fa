/// The columns of a dive log with their units.
struct DiveBinding {
    /// A column and its unit; nil for a time whose cells contain the unit.
    struct Bound {
        var column: Column
        var unit: String?
    }

    private(set) var columns: [DiveField: Bound] = [:]
    /// Columns that would be read if their unit was known.
    private(set) var withoutUnit: [Column] = []

    /// Binds the columns that `requested` names or, if that is empty, those with a known name.
    ///
    /// Throws when a named one is missing, when depth has no unit, when there is neither depth nor pressure, and when there
    /// is no time although `needsTime`.
    init(_ header: Header, requested: [DiveColumn], needsTime: Bool) throws(ImportProblem) {
        for (field, column, stated) in try Self.candidates(header, requested: requested) {
            let unit = stated ?? field.unit(of: column)
            if unit != nil || field == .time {
                columns[field] = Bound(column: column, unit: unit)
            } else if requested.isEmpty && field != .depth {
                withoutUnit.append(column)
            } else {
                throw field.lacksUnit(column, header)
            }
        }
        var missing: [String] = []
        if needsTime, columns[.time] == nil { missing.append("time (or --interval SECONDS)") }
        if columns[.depth] == nil, columns[.pressure] == nil { missing.append("depth or pressure") }
        guard missing.isEmpty else {
            throw ImportProblem(
                "no column for \(missing.joined(separator: " and for ")); \(header.listing); say --columns FIELD=COLUMN:UNIT,...",
                file: header.file, line: header.line)
        }
    }

    private static func candidates(
        _ header: Header, requested: [DiveColumn]
    ) throws(ImportProblem) -> [(DiveField, Column, String?)] {
        guard requested.isEmpty else {
            let columns = try header.require(requested.map(\.name))
            return zip(requested, columns).map { ($0.field, $1, $0.unit) }
        }
        var found: [(DiveField, Column, String?)] = []
        for field in DiveField.allCases {
            let columns = header.columns.filter { field.isNamed(by: $0) }
            guard columns.count <= 1 else {
                throw ImportProblem(
                    "\(columns.map { ImportProblem.quoted($0.name) }.joined(separator: " and ")) could both be the "
                        + "\(field.rawValue); say --columns", file: header.file, line: header.line)
            }
            found += columns.map { (field, $0, nil) }
        }
        return found
    }
}
