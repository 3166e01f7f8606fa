package import Foundation

/// A directory that is removed with its owner.
package final class TemporaryDirectory: Sendable {
    /// Where it is.
    package let url: URL

    /// Creates an empty directory below the system's temporary one.
    package init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "fathom-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The path of a file inside.
    package func path(_ name: String) -> String { url.appending(path: name).path }

    /// Writes a text file and returns its path.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        try text.write(to: url.appending(path: name), atomically: true, encoding: .utf8)
        return path(name)
    }
}
