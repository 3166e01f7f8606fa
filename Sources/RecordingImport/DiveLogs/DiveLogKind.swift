/// The kinds of dive logs with a structure of their own.
enum DiveLogKind: String {
    case subsurfaceXML = "Subsurface XML"
    case subsurfaceCSV = "Subsurface CSV"
    case uddf = "UDDF"
    case shearwaterXML = "Shearwater XML"
    case shearwaterCSV = "Shearwater CSV"

    /// The kind of a file by its first bytes; nil for any other file.
    init?(_ beginning: [UInt8]) {
        if let root = XMLRoot.name(of: beginning) {
            switch root {
            case "divelog": self = .subsurfaceXML
            // Its first version.
            case "dives" where Self.contains(beginning, "subsurface"): self = .subsurfaceXML
            case "uddf": self = .uddf
            case "dive" where Self.contains(beginning, "diveLog"): self = .shearwaterXML
            default: return nil
            }
            return
        }
        let line = beginning.drop { $0 <= 0x20 }.prefix { $0 != 0x0A && $0 != 0x0D }
        if ["dive number", "sample time", "sample depth"].allSatisfy({ Self.contains(Array(line), $0) }) {
            self = .subsurfaceCSV
        } else if ["GF Minimum", "Imperial Units"].allSatisfy({ Self.contains(Array(line), $0) }) {
            self = .shearwaterCSV
        } else {
            return nil
        }
    }

    private static func contains(_ bytes: [UInt8], _ text: String) -> Bool {
        let text = Array(text.utf8)
        guard bytes.count >= text.count else { return false }
        return (0...bytes.count - text.count).contains { bytes[$0] == text[0] && bytes[$0...].starts(with: text) }
    }
}
