package import Logging
import Synchronization

/// What is logged during a test.
package final class CollectedLog: Sendable {
    private let collected = Mutex<[String]>([])

    /// An empty log.
    package init() {}

    /// A logger that writes here, whatever the level.
    package var logger: Logger { Logger(label: "test") { [self] _ in Handler(log: self) } }

    /// Whether a message with `text` in it was logged.
    package func contains(_ text: String) -> Bool { lines.contains { $0.contains(text) } }

    /// Every message, followed by its metadata as `key=value` in the order of the keys.
    package var lines: [String] { collected.withLock { $0 } }

    private struct Handler: LogHandler {
        let log: CollectedLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
            let line = (["\(event.message)"] + metadata.map { "\($0.key)=\($0.value)" }).joined(separator: " ")
            log.collected.withLock { $0.append(line) }
        }
    }
}
