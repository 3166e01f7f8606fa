package import Foundation

/// The real recordings beside the project, where there are any.
package enum SharedData {
    /// The folder; nil where there is none.
    package static let folder: URL? = {
        if let path = ProcessInfo.processInfo.environment["FATHOM_SHARED_DATA"] { return URL(filePath: path) }
        var folder = URL(filePath: #filePath).deletingLastPathComponent()
        while folder.path != "/" {
            let candidate = folder.appending(path: "shared/data")
            if FileManager.default.fileExists(atPath: candidate.path) { return candidate }
            folder.deleteLastPathComponent()
        }
        return nil
    }()

    /// The rows of a CSV file: its numbers, nil where a cell is empty or no number.
    package static func rows(_ path: String, separator: Character = ",") throws -> [[Double?]] {
        guard let folder else { return [] }
        let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
        return text.split(whereSeparator: \.isNewline).map { line in
            line.split(separator: separator, omittingEmptySubsequences: false).map { Double($0) }
        }
    }
}
