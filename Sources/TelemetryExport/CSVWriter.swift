/// Rows as CSV (RFC 4180): a header for each table, a line for each message.
package enum CSVWriter {
    /// The columns that every table begins with, as paths of keys; `at` and `device` come before them.
    private static let common: [[String]] = [
        ["quality"], ["validUntil"], ["id"], ["deviceTime"], ["received"], ["source", "stream"], ["source", "boot"],
    ]

    /// The header of `table`, with its line feed.
    package static func header(of table: ExportTable) -> String {
        let names = ["at", "device", "subject"] + common.map { $0.joined(separator: ".") } + table.fieldNames
        return names.joined(separator: ",") + "\n"
    }

    /// The line of `row`, with its line feed. What is null or absent is empty; lists are JSON.
    package static func line(_ row: ExportRow) -> String {
        let cells =
            [row.at.shortest, row.device, row.subject ?? ""]
            + (common + row.table.fields).map { row.message.member($0).map(cell) ?? "" }
        return cells.joined(separator: ",") + "\n"
    }

    private static func cell(_ value: JSONValue) -> String {
        let text = value.text ?? value.json
        guard text.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
