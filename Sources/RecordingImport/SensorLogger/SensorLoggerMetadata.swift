/// Metadata.csv of a Sensor Logger export.
struct SensorLoggerMetadata {
    /// Whether "Standardise Units & Frames" was on; nil where the file does not contain it.
    private(set) var isStandardised: Bool?
    /// Whether an Android phone recorded; nil where the file does not contain it.
    private(set) var isAndroid: Bool?

    /// That of an export without the file.
    init() {}

    /// What the file contains.
    init(_ table: Table) {
        let cells = Self.cells(["standardisation", "platform"], of: table).mapValues { $0.lowercased() }
        switch cells["standardisation"] {
        case "true", "1", "yes": isStandardised = true
        case "false", "0", "no": isStandardised = false
        default: break
        }
        isAndroid = cells["platform"].map { $0 == "android" }
    }

    /// The device's id or, without one, its name; nil where the file contains neither.
    static func device(_ table: Table) -> String? {
        let cells = cells(["device id", "device name"], of: table)
        return ["device id", "device name"].lazy.compactMap { cells[$0] }.first { !$0.isEmpty }
    }

    /// What stands in those columns that there are.
    private static func cells(_ titles: [String], of table: Table) -> [String: String] {
        let columns = try? table.readHeader { header throws(ImportProblem) in
            var columns: [String: Column] = [:]
            for title in titles { columns[title] = try header.find(title) }
            return columns
        }
        guard let columns, let row = try? table.next() else { return [:] }
        return columns.mapValues { row.text($0.index) }
    }
}
