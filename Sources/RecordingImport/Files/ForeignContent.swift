/// What files hold that no format here has.
struct ForeignContent {
    /// Why it is not read, and what is to be done.
    let reason: String
    /// What it is; nil where it is not known.
    let name: String?
    /// Whether there may be files in it that are read.
    let holdsFiles: Bool

    /// What a file that begins with these bytes holds; nil where it may be a table.
    init?(_ beginning: [UInt8]) {
        if let mark = Self.marks.first(where: { beginning.starts(with: $0.bytes) }) {
            self.init(mark.name, remedy: mark.remedy, holdsFiles: mark.remedy == Self.unpack)
            return
        }
        let text = beginning.drop { $0 <= 0x20 || [0xEF, 0xBB, 0xBF].contains($0) }
        switch text.first {
        case UInt8(ascii: "<"): self = Self.xml(beginning)
        case UInt8(ascii: "{"): self.init("JSON", remedy: "and no export of Sensor Logger")
        // A header may begin with a bracket, as in "[m]".
        case UInt8(ascii: "[") where Self.beginsArray(text): self.init("JSON", remedy: "and no export of Sensor Logger")
        default:
            if let table = Self.tables.first(where: { $0.isBeginning(text) }) {
                self.init(table.name, remedy: table.remedy)
            } else if beginning.contains(0) {
                self = Self(reason: "is no text", name: nil, holdsFiles: false)
            } else {
                return nil
            }
        }
    }

    private init(_ name: String, remedy: String, holdsFiles: Bool = false) {
        let isClause = remedy.hasPrefix("and") || remedy.hasPrefix("which")
        self.init(reason: "is \(name)\(isClause ? ", " : "; ")\(remedy)", name: name, holdsFiles: holdsFiles)
    }

    private init(reason: String, name: String?, holdsFiles: Bool) {
        (self.reason, self.name, self.holdsFiles) = (reason, name, holdsFiles)
    }

    private static let unpack = "unpack it first"
    private static let marks: [(bytes: [UInt8], name: String, remedy: String)] = [
        ([0xFF, 0xFE, 0, 0], "UTF-32", "save it as UTF-8"), ([0, 0, 0xFE, 0xFF], "UTF-32", "save it as UTF-8"),
        ([0x50, 0x4B, 3, 4], "an archive", unpack), ([0x1F, 0x8B], "compressed (gzip)", unpack),
        ([0x37, 0x7A, 0xBC, 0xAF], "an archive (7z)", unpack), (Array("Rar!".utf8), "an archive (RAR)", unpack),
        (Array("BZh".utf8), "compressed (bzip2)", unpack), ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "compressed (xz)", unpack),
        ([0x28, 0xB5, 0x2F, 0xFD], "compressed (zstd)", unpack),
        (Array("SQLite format 3".utf8), "a database (SQLite)", "the CSV export is needed"),
        (Array("%PDF".utf8), "a PDF", "the CSV export is needed"),
    ]

    private static func beginsArray(_ text: ArraySlice<UInt8>) -> Bool {
        text.dropFirst().first { $0 > 0x20 }.map { [UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\"")].contains($0) }
            ?? false
    }

    private static let diveLog = "which is not read; Subsurface opens it and saves a .ssrf, which is"
    private static let activity = "which is not read; the activity's FIT file is"
    private static let none = "which is not read"

    /// XML by its outermost element.
    private static let elements = [
        "gpx": ("GPX", activity), "trainingcenterdatabase": ("TCX", activity), "kml": ("KML", none),
        "html": ("a web page", none), "plist": ("a property list", none), "sml": ("Suunto SML", diveLog),
        "suunto": ("Suunto SDM", diveLog), "dive": ("libdivecomputer's XML", diveLog), "dives": ("MacDive XML", diveLog),
        "divelogsdata": ("divelogs.de XML", diveLog), "profile": ("UDCF", diveLog),
    ]

    private static func xml(_ beginning: [UInt8]) -> Self {
        guard let (name, remedy) = XMLRoot.name(of: beginning).flatMap({ elements[$0.lowercased()] }) else {
            return Self("XML", remedy: "and of no format that is read")
        }
        return Self(name, remedy: remedy)
    }

    /// Text by what its first line has.
    private struct KnownTable {
        var name: String
        var remedy: String
        var start: String
        var columns: [String]

        func isBeginning(_ text: ArraySlice<UInt8>) -> Bool {
            let line = String(decoding: text.prefix { $0 != 0x0A }.prefix(4096), as: UTF8.self).lowercased()
            return line.hasPrefix(start) && columns.allSatisfy(line.contains)
        }
    }

    private static let tables = [
        KnownTable(name: "DAN DL7", remedy: diveLog, start: "fsh|", columns: []),
        KnownTable(
            name: "Subsurface's CSV of dives, which has no profiles", remedy: "export \"CSV dive profile\", or give the .ssrf",
            start: "", columns: ["dive number", "duration", "maxdepth", "avgdepth"]),
    ]
}
