/// What files hold that are no tables.
enum ForeignContent {
    /// The reason for which a file that begins with these bytes is not read as a table; nil where it may be one.
    static func reason(_ beginning: [UInt8]) -> String? {
        if let mark = marks.first(where: { beginning.starts(with: $0.bytes) }) { return mark.reason }
        let text = beginning.drop { $0 <= 0x20 || [0xEF, 0xBB, 0xBF].contains($0) }
        switch text.first {
        case UInt8(ascii: "<"): return xml(text)
        case UInt8(ascii: "{"): return "is JSON, and no export of Sensor Logger"
        case UInt8(ascii: "["):
            // A header may begin with a bracket, as in "[m]".
            let next = text.dropFirst().first { $0 > 0x20 }
            let begins = next.map { [UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\"")].contains($0) } ?? false
            return begins ? "is JSON, and no export of Sensor Logger" : nil
        default: break
        }
        return beginning.contains(0) ? "is no text" : nil
    }

    private struct Mark {
        var bytes: [UInt8]
        var reason: String
    }

    private static let marks = [
        Mark(bytes: [0xFF, 0xFE], reason: "is UTF-16; save it as UTF-8"),
        Mark(bytes: [0xFE, 0xFF], reason: "is UTF-16; save it as UTF-8"),
        Mark(bytes: [0x50, 0x4B, 3, 4], reason: "is an archive; unpack it first"),
        Mark(bytes: [0x1F, 0x8B], reason: "is compressed (gzip); unpack it first"),
        Mark(bytes: [0x37, 0x7A, 0xBC, 0xAF], reason: "is an archive (7z); unpack it first"),
        Mark(bytes: Array("Rar!".utf8), reason: "is an archive (RAR); unpack it first"),
        Mark(bytes: Array("SQLite format 3".utf8), reason: "is a database (SQLite); the CSV export is needed"),
        Mark(bytes: Array("%PDF".utf8), reason: "is a PDF; the CSV export is needed"),
    ]

    private static let elements = [
        ("gpx", "GPX"), ("TrainingCenterDatabase", "TCX"), ("kml", "KML"), ("html", "a web page"), ("plist", "a property list"),
    ]

    /// XML is named by its first known element.
    private static func xml(_ text: ArraySlice<UInt8>) -> String {
        let beginning = String(decoding: text.prefix(2048), as: UTF8.self).lowercased()
        let name = elements.first { element in
            [" ", ">", "\n", "\r", "\t", "/"].contains { beginning.contains("<\(element.0.lowercased())\($0)") }
        }
        return "is XML\(name.map { " (\($0.1))" } ?? "") that no format here has"
    }
}
