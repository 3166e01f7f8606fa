import Foundation
import Logging

/// Writes each line of the log on standard error: time (ISO 8601, UTC), level, message, and metadata as `key=value` in the order of the keys.
struct TextLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let line = Self.line(event.level, "\(event.message)", metadata.merging(event.metadata ?? [:]) { $1 }, at: Date())
        // One write, so that lines of several threads do not mix.
        _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    }

    /// One line with its line feed.
    static func line(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata, at date: Date) -> [UInt8] {
        let time = date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        let words = metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\(quoted("\($0.value)"))" }
        return Array(([time, level.rawValue, message] + words).joined(separator: " ").utf8) + [UInt8(ascii: "\n")]
    }

    /// A value, in quotes where it would not be one word.
    private static func quoted(_ value: String) -> String {
        guard value.isEmpty || value.contains(where: { $0 == " " || $0 == "=" || $0 == "\"" }) else { return value }
        return "\"" + value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
