import GatewayPipeline

/// Rows as CSV (RFC 4180): a header for each table, a line for each message.
package struct CSVWriter: Sendable {
    /// The columns that every table begins with, as paths of keys; `at`, `device` and `subject` come before them.
    private static let common: [[String]] = [
        ["quality"], ["validUntil"], ["id"], ["deviceTime"], ["received"], ["source", "stream"], ["source", "boot"],
    ]
    private static let quote = UInt8(ascii: "\"")
    /// What makes a spreadsheet read a cell as a formula, in the forms that some of them take for it too.
    private static let formulaStarts: Set<Unicode.Scalar> = ["=", "+", "-", "@", "＝", "＋", "－", "＠"]

    private let isForSpreadsheets: Bool

    /// A writer; for spreadsheets, a text that one would read as a formula gets an apostrophe in front.
    package init(forSpreadsheets isForSpreadsheets: Bool = false) { self.isForSpreadsheets = isForSpreadsheets }

    /// The header of `table`, with its line feed.
    package static func header(of table: ExportTable) -> String {
        let names = ["at", "device", "subject"] + common.map { $0.joined(separator: ".") } + table.fieldNames
        return names.joined(separator: ",") + "\n"
    }

    /// The line of `row`, with its line feed. What is null or absent is empty; lists are JSON.
    package func line(_ row: ExportRow) -> String {
        let cells =
            [row.at.shortest, cell(text: row.device), cell(text: row.subject ?? "")]
            + (Self.common + row.table.fields).map { row.message.member($0).map(cell) ?? "" }
        return cells.joined(separator: ",") + "\n"
    }

    private func cell(_ value: MessageValue) -> String { value.text.map(cell(text:)) ?? Self.quoted(value.json) }

    private func cell(text: String) -> String {
        let isFormula = text.unicodeScalars.first { $0 != " " }.map(Self.formulaStarts.contains) ?? false
        return Self.quoted(isForSpreadsheets && isFormula ? "'" + text : text)
    }

    /// The text as a cell, by its bytes: a quotation mark and a combining mark behind it are one `Character`, which is no quotation mark.
    private static func quoted(_ text: String) -> String {
        guard text.utf8.contains(where: { [quote, 0x2C, 0x0A, 0x0D].contains($0) }) else { return text }
        let doubled = text.utf8.flatMap { $0 == quote ? [quote, quote] : [$0] }
        return "\"" + String(decoding: doubled, as: UTF8.self) + "\""
    }
}
