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
    /// What each file uses for them, as its lane noted at its last deletion.
    private let files = Mutex([String: Use]())
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

    /// What a file uses.
    struct Use: Sendable {
        /// The bytes of its pages.
        var bytes: Int
        /// The bytes of each device's rows.
        var devices: [String: Int]
    }

    /// A device of which a file makes room.
    struct Share: Equatable {
        let device: String
        /// How many bytes of its rows are to be deleted.
        var bytes: Int
    }

    func note(_ use: Use, in file: String) {
        let sum = files.withLock { files in
            files[file] = use
            return files.values.reduce(0) { $0 + $1.bytes }
        }
        counts.withLock { $0.megabytes = (sum + 999_999) / 1_000_000 }
    }

    /// What `file` has to delete so that all files are within the limit, the device that uses most last.
    ///
    /// The excess is taken from the devices that use most over all files, until those have equally much; so whoever is below an equal share
    /// pays nothing. Each of them is served by the one file in which it uses most. A lane deletes in its own file alone and never waits for
    /// another: what the other lanes noted is enough, as the shares of all files add up to the excess, whichever lane asks first. Each
    /// deletion is noted before the next question, so the excess only falls. Where a file has nothing left of a device, another is
    /// the one in which it uses most.
    func shares(of file: String) -> [Share] {
        files.withLock { files in
            let excess = files.values.reduce(0) { $0 + $1.bytes } - maximumBytes
            guard excess > 0, let own = files[file] else { return [] }
            var sums: [String: Int] = [:]
            for use in files.values { sums.merge(use.devices, uniquingKeysWith: +) }
            let level = Self.level(of: sums.values.sorted(by: >), less: excess)
            return own.devices.compactMap { device, bytes -> Share? in
                guard let sum = sums[device], sum > level else { return nil }
                let isMost = files.allSatisfy { name, use in
                    let other = use.devices[device] ?? 0
                    return other < bytes || (other == bytes && name >= file)
                }
                return isMost ? Share(device: device, bytes: sum - level) : nil
            }.sorted { ($0.bytes, $1.device) < ($1.bytes, $0.device) }
        }
    }

    /// What the greatest of `sums`, which fall, are lowered to so that they are `excess` less in all.
    private static func level(of sums: [Int], less excess: Int) -> Int {
        var rest = excess
        for (index, sum) in sums.enumerated() {
            let (count, next) = (index + 1, index + 1 < sums.count ? sums[index + 1] : 0)
            guard rest > count * (sum - next) else { return sum - (rest + count - 1) / count }
            rest -= count * (sum - next)
        }
        return 0
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
