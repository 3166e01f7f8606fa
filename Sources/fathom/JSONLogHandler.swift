import Foundation
import JSONText
import Logging

/// Writes each line of the log as a JSON object on standard error: `time` (ISO 8601, UTC), `level`, `message`, and `metadata` as texts.
struct JSONLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let line = Self.line(
            event.level, "\(event.message)", metadata.merging(event.metadata ?? [:]) { $1 }, at: Date())
        // One write, so that lines of several threads do not mix.
        _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    }

    /// One line with its line feed.
    static func line(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata, at date: Date) -> [UInt8] {
        JSONWriter.object { json in
            json.field("time", date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
            json.field("level", level.rawValue)
            json.field("message", message)
            if !metadata.isEmpty { json.texts("metadata", metadata.mapValues { "\($0)" }) }
        } + [UInt8(ascii: "\n")]
    }
}
