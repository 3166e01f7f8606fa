package import GatewayConfiguration
package import GatewayPipeline
import Synchronization
import TelemetryModel

/// The limits of stored histories, and what was done about them; shared by the files of all lanes.
package final class HistoryStorage: Sendable {
    /// How many days are kept.
    let days: Int
    /// How much room samples may take.
    let maximumBytes: Int
    private let counts = Mutex(HistoryFigures())
    /// The bytes of samples in each file.
    private let bytes = Mutex([String: Int]())

    /// The limits of a configuration.
    package init(_ history: GatewayConfiguration.History = .init()) {
        days = history.days
        maximumBytes = history.maximumMegabytes * 1_000_000
    }

    /// What is stored and was done so far.
    package var figures: HistoryFigures { counts.withLock { $0 } }

    func note(bytes: Int, in file: String) {
        let sum = self.bytes.withLock { files in
            files[file] = bytes
            return files.values.reduce(0, +)
        }
        counts.withLock { $0.megabytes = (sum + 999_999) / 1_000_000 }
    }

    func note(discardedDays: Int) { counts.withLock { $0.discardedDays.addSaturated(discardedDays) } }

    func note(erased: Int) { counts.withLock { $0.erased.addSaturated(erased) } }
}
