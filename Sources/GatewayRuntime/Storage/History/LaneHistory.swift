import GRDB
import GatewayPipeline
import TelemetryModel

/// The histories in a lane's file, as its pipeline reads them: by a connection of its own, so that the lane's thread does not wait for a commit
/// that is being written.
final class LaneHistory: HistoryReader {
    private static let minutes = 64
    private let store: CheckpointStore
    private var connection: DatabaseQueue?
    /// Called after each hour or so of samples.
    var whileReading: () -> Void = {}
    /// Why the latest read failed; nil where it did not.
    private(set) var problem: String?

    init(store: CheckpointStore) { self.store = store }

    func readHistory(of device: DeviceID, in minutes: Range<Int>, _ body: (HistoryMinute) throws -> Void) throws {
        var count = 0
        do {
            let connection = try self.connection ?? .readOnly(store.path)
            self.connection = connection
            try store.readHistory(of: device, in: minutes, from: connection) { minute in
                try body(minute)
                count += 1
                if count.isMultiple(of: Self.minutes) { whileReading() }
            }
            problem = nil
        } catch {
            problem = "a history cannot be read: \(error)"
            throw error
        }
    }
}
