import GatewayPipeline
import Logging

/// Passes each line of the log to another handler with everything escaped that a terminal could act on, and with texts that are too long cut.
///
/// Parts of a line come from devices, brokers and servers. Here is the one place where that cannot be forgotten.
struct PrintableLogHandler: LogHandler {
    /// The longest text in a line, in scalars as they were before they were escaped.
    static let longest = 2_000

    private var handler: any LogHandler

    init(_ handler: any LogHandler) { self.handler = handler }

    var metadata: Logger.Metadata {
        get { handler.metadata }
        set { handler.metadata = newValue.mapValues(Self.printable) }
    }

    var metadataProvider: Logger.MetadataProvider? {
        get { handler.metadataProvider }
        set { handler.metadataProvider = newValue }
    }

    var logLevel: Logger.Level {
        get { handler.logLevel }
        set { handler.logLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { handler[metadataKey: key] }
        set { handler[metadataKey: key] = newValue.map(Self.printable) }
    }

    func log(event: LogEvent) {
        var event = event
        event.message = "\(Self.printable("\(event.message)"))"
        event.metadata = event.metadata?.mapValues(Self.printable)
        if let error = event.error {
            event.metadata = (event.metadata ?? [:]).merging(["error": "\(Self.printable("\(error)"))"]) { _, error in error }
            event.error = nil
        }
        handler.log(event: event)
    }

    private static func printable(_ value: Logger.Metadata.Value) -> Logger.Metadata.Value { "\(printable("\(value)"))" }

    private static func printable(_ text: String) -> String {
        let start = text.unicodeScalars.prefix(longest)
        return start.endIndex == text.unicodeScalars.endIndex ? text.escaped : String(start).escaped + "…"
    }
}
