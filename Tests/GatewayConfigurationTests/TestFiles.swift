import Foundation

/// The files of the repository and files made for one test.
enum TestFiles {
    /// The repository's root.
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The path of a file of the repository.
    static func path(_ relative: String) -> String { root.appending(path: relative).path }

    /// The text of a file of the repository.
    static func text(_ relative: String) throws -> String { try String(contentsOfFile: path(relative), encoding: .utf8) }

    /// Runs a body with a new folder that holds the given files, and removes it afterwards.
    static func withFolder<Result>(
        _ files: [String: String] = [:], _ body: (_ folder: String) async throws -> Result
    ) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fathom-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in files { try text.write(to: folder.appending(path: name), atomically: false, encoding: .utf8) }
        return try await body(folder.path)
    }
}
