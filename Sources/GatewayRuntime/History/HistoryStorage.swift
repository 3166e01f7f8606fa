package import GatewayConfiguration
package import GatewayPipeline
import Synchronization
import TelemetryModel

/// The limits of stored histories, and what was done about them; shared by the files of all lanes.
package final class HistoryStorage: Sendable {
    /// How many days are kept.
    let days: Int
    /// How much room samples and messages for the query `events` may take, in all files.
    let maximumBytes: Int
    private let counts = Mutex(HistoryFigures())
    /// What each file uses for them.
    private let bytes = Mutex([String: Int]())
    /// What each file uses for everything else, and when that was measured.
    private let others = Mutex([String: (bytes: Int, at: Double)]())
    /// How long a measurement is used, in seconds.
    private static let measuredSeconds = 600.0

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

    /// How many bytes `file` has to give up so that all files are within the limit: the one that uses most makes the room.
    func excess(of file: String) -> Int {
        bytes.withLock { files in
            guard let own = files[file], own == files.values.max() else { return 0 }
            return min(own, max(0, files.values.reduce(0, +) - maximumBytes))
        }
    }

    /// What `file` uses for everything else, measured by `measure` unless that is known, at `running` of the clock.
    func otherBytes(of file: String, at running: Double, _ measure: () throws -> Int) rethrows -> Int {
        let known = others.withLock { $0[file] }
        if let known, running - known.at < Self.measuredSeconds { return known.bytes }
        let bytes = try measure()
        others.withLock { $0[file] = (bytes, running) }
        return bytes
    }

    func note(_ deleted: HistoryDeletion) { counts.withLock { $0.deleted.add(deleted) } }

    func note(erased: Int) { counts.withLock { $0.erased.addSaturated(erased) } }
}
