import GatewayPipeline

import TelemetryModel

/// Rows as InfluxDB's line protocol: `measurement,device=D[,subject=S] field=value,… nanoseconds`.
package enum LineProtocolWriter {
    /// The line of `row`, with its line feed; nil where no field has a value.
    ///
    /// Numbers are floats. What is null or absent is left out, and so are lists of numbers and objects.
    package static func line(_ row: ExportRow) -> String? {
        let paths = [["quality"], ["validUntil"]] + row.table.fields
        let fields = paths.compactMap { path in
            row.message.member(path).flatMap { value($0, asText: isMixed(path, in: row.table)) }
                .map { path.joined(separator: ".") + "=" + $0 }
        }
        guard !fields.isEmpty else { return nil }
        // Names of tables and fields are declared, and tags are identifiers: neither holds anything that has to be escaped.
        let subject = (row.subject ?? stream(of: row)).map { ",subject=\($0)" } ?? ""
        // The times of messages are whole microseconds.
        let nanoseconds = Int64((row.at * 1e6).rounded()) * 1000
        return "\(row.table.name),device=\(row.device)\(subject) \(fields.joined(separator: ",")) \(nanoseconds)\n"
    }

    /// The stream of a gap: of several streams they can have one time, and points of one series and time replace each other.
    private static func stream(of row: ExportRow) -> String? {
        row.table.name == "gap" ? row.message.member(["stream"])?.text.flatMap { Identifier($0)?.rawValue } : nil
    }

    /// Whether a field has texts in some messages and numbers in others: in the line protocol it can have one type.
    private static func isMixed(_ path: [String], in table: ExportTable) -> Bool { table.name == "alarm" && path == ["value"] }

    private static func value(_ value: MessageValue, asText: Bool) -> String? {
        switch value {
        case .number(let number) where asText: number.shortest.inQuotes
        case .number(let number): number.shortest
        case .flag(let flag): flag ? "true" : "false"
        case .text(let text): text.inQuotes
        case .list(let values) where values.contains { $0.text != nil }: value.json.inQuotes
        case .list, .object, .null: nil
        }
    }
}
