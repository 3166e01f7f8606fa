/// Metadata.csv of a Sensor Logger export.
enum SensorLoggerMetadata {
    /// Whether "Standardise Units & Frames" was on; nil where the file does not contain it.
    static func isStandardised(_ table: Table) -> Bool? {
        guard
            let column = try? table.readHeader({ header throws(ImportProblem) in try header.require(["standardisation"])[0] }),
            let row = try? table.next()
        else { return nil }
        return switch row.text(column.index).lowercased() {
        case "true", "1", "yes": true
        case "false", "0", "no": false
        default: nil
        }
    }
}
