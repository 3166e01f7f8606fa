import Foundation
import GatewayPipeline
import JSONText
import Logging

/// Writes each line of the log on standard error, with everything escaped that a terminal could act on, and with texts that are too long cut.
///
/// Parts of a line come from devices, brokers and servers. Here is the one place where that cannot be forgotten.
struct LineLogHandler: LogHandler {
    /// Makes one line with its line feed.
    typealias Form = @Sendable (Logger.Level, String, Logger.Metadata, Date) -> [UInt8]

    /// The longest text in a line, in scalars as they were before they were escaped.
    private static let longest = 2_000

    /// How a line is written.
    let form: Form
    /// Takes each line; by default one write for each, so that lines of several threads do not mix.
    var output: @Sendable ([UInt8]) -> Void = { line in _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) } }
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var all = metadata.merging(event.metadata ?? [:]) { $1 }
        if let error = event.error { all["error"] = "\(error)" }
        output(
            form(event.level, Self.printable("\(event.message)"), all.mapValues { "\(Self.printable("\($0)"))" }, Date()))
    }

    private static func printable(_ text: String) -> String {
        let start = text.unicodeScalars.prefix(longest)
        return start.endIndex == text.unicodeScalars.endIndex ? text.escaped : String(start).escaped + "…"
    }

    /// A JSON object: `time` (ISO 8601, UTC), `level`, `message`, and `metadata` as texts.
    static func json(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata, at date: Date) -> [UInt8] {
        JSONWriter.object { json in
            json.field("time", date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
            json.field("level", level.rawValue)
            json.field("message", message)
            if !metadata.isEmpty { json.texts("metadata", metadata.mapValues { "\($0)" }) }
        } + [UInt8(ascii: "\n")]
    }

    /// Time (ISO 8601, UTC), level, message, and metadata as `key=value` in the order of the keys.
    static func text(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata, at date: Date) -> [UInt8] {
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
