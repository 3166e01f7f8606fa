/// Metadata.csv of a Sensor Logger export.
enum SensorLoggerMetadata {
    /// Whether "Standardise Units & Frames" was on; nil where the file does not contain it.
    static func isStandardised(_ table: Table) -> Bool? {
        switch cells(["standardisation"], of: table).first?.lowercased() {
        case "true", "1", "yes": true
        case "false", "0", "no": false
        default: nil
        }
    }

    /// The device's id or, without one, its name; nil where the file contains neither.
    static func device(_ table: Table) -> String? { cells(["device id", "device name"], of: table).first { !$0.isEmpty } }

    /// What stands in those columns that there are.
    private static func cells(_ titles: [String], of table: Table) -> [String] {
        let columns = try? table.readHeader { header throws(ImportProblem) in
            var columns: [Column] = []
            for title in titles {
                if let column = try header.find(title) { columns.append(column) }
            }
            return columns
        }
        guard let columns, let row = try? table.next() else { return [] }
        return columns.map { row.text($0.index) }
    }
}
