package import Logging
import Synchronization

/// What is logged during a test.
package final class CollectedLog: Sendable {
    private let lines = Mutex<[String]>([])

    /// An empty log.
    package init() {}

    /// A logger that writes here, whatever the level.
    package var logger: Logger { Logger(label: "test") { [self] _ in Handler(log: self) } }

    /// Whether a message with `text` in it was logged.
    package func contains(_ text: String) -> Bool { lines.withLock { $0.contains { $0.contains(text) } } }

    private struct Handler: LogHandler {
        let log: CollectedLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { log.lines.withLock { $0.append("\(event.message)") } }
    }
}
