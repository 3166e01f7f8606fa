/// The columns of a dive log with their units.
struct DiveBinding {
    /// A column and its unit; nil for a time whose cells contain the unit, and for a date.
    struct Bound {
        var column: Column
        var unit: String?
        /// -1 where the column counts upwards.
        var sign = 1.0
    }

    private(set) var columns: [DiveField: Bound] = [:]
    /// What is to be said of columns that are left out, as their unit is not known.
    private(set) var withoutUnit: [ImportProblem] = []
    /// The names of the columns that hold something else.
    private(set) var others: [String] = []

    /// Binds the columns that `requested` names and, for the other fields, those with a known name.
    ///
    /// Throws when a named one is missing, when depth has no unit, when there is neither depth nor pressure, and when there
    /// is no time although `needsTime`.
    init(_ header: Header, requested: [DiveColumn], needsTime: Bool) throws(ImportProblem) {
        for (field, column, stated) in try Self.candidates(header, requested: requested) {
            let unit = stated ?? field.unit(of: column)
            // A time with a unit that is not known is none; without one its cells are dates.
            if unit != nil || field == .date || (field == .time && column.unit == nil) {
                let sign = requested.first { $0.field == field }?.sign ?? 1
                columns[field] = Bound(column: column, unit: unit, sign: sign)
            } else if field != .depth && field != .time && !requested.contains(where: { $0.field == field }) {
                withoutUnit.append(field.lacksUnit(column, header))
            } else {
                throw field.lacksUnit(column, header)
            }
        }
        if columns[.time] == nil, let date = columns.removeValue(forKey: .date) { columns[.time] = date }
        var missing: [String] = []
        if needsTime, columns[.time] == nil { missing.append("time (or --interval SECONDS)") }
        if columns[.depth] == nil, columns[.pressure] == nil { missing.append("depth or pressure") }
        guard missing.isEmpty else {
            throw ImportProblem(
                "no column for \(missing.joined(separator: " and for ")); \(header.listing); say --columns FIELD=COLUMN:UNIT,...",
                file: header.file, line: header.line)
        }
        let read = Set(columns.values.map(\.column.index))
        others = header.columns.filter { column in
            !read.contains(column.index) && !column.name.isEmpty && !withoutUnit.contains { $0.column == column.name }
        }.map(\.name)
    }

    /// Whether a header has a column of a depth, whatever its unit, with times.
    static func isOfDepths(_ header: Header) -> Bool {
        let has = { (field: DiveField) in header.columns.contains { field.isNamed(by: $0) } }
        return has(.depth) && (has(.time) || has(.date))
    }

    /// Leaves a column out.
    mutating func remove(_ field: DiveField) { columns[field] = nil }

    private static func candidates(
        _ header: Header, requested: [DiveColumn]
    ) throws(ImportProblem) -> [(DiveField, Column, String?)] {
        let named = try header.require(requested.map(\.name))
        var found: [(DiveField, Column, String?)] = zip(requested, named).map { ($0.field, $1, $0.unit) }
        for field in DiveField.allCases where !requested.contains(where: { $0.field == field }) {
            let columns = header.columns.filter { column in field.isNamed(by: column) && !named.contains(column) }
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
