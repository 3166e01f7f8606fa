/// Rows as InfluxDB's line protocol: `measurement,device=D[,subject=S] field=value,… nanoseconds`.
package enum LineProtocolWriter {
    /// The line of `row`, with its line feed; nil where no field has a value.
    ///
    /// Numbers are floats. What is null or absent is left out, and so are lists of numbers and objects.
    package static func line(_ row: ExportRow) -> String? {
        let paths = [["quality"], ["validUntil"]] + row.table.fields
        let fields = paths.compactMap { path in
            row.message.member(path).flatMap(value).map { escaped(path.joined(separator: ".")) + "=" + $0 }
        }
        guard !fields.isEmpty else { return nil }
        let subject = (row.subject ?? stream(of: row)).map { ",subject=\(escaped($0))" } ?? ""
        // The times of messages are whole microseconds.
        let nanoseconds = Int64((row.at * 1e6).rounded()) * 1000
        return
            "\(escaped(row.table.name)),device=\(escaped(row.device))\(subject) \(fields.joined(separator: ",")) \(nanoseconds)\n"
    }

    /// The stream of a gap: of several streams they can have one time, and points of one series and time replace each other.
    private static func stream(of row: ExportRow) -> String? {
        row.table.name == "gap" ? row.message.member(["stream"])?.text : nil
    }

    private static func value(_ value: JSONValue) -> String? {
        switch value {
        case .number(let number): number.shortest
        case .flag(let flag): flag ? "true" : "false"
        case .text(let text): quoted(text)
        case .list(let values) where values.contains { $0.text != nil }: quoted(value.json)
        case .list, .object, .null: nil
        }
    }

    /// A text as the value of a field; a line may not be broken.
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\n", "\r": quoted += " "
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    /// A name or the value of a tag.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            if scalar == "," || scalar == "=" || scalar == " " { escaped += "\\" }
            escaped.unicodeScalars.append(scalar)
        }
        return escaped
    }
}
