import GatewayPipeline
import TelemetryModel

/// The histories in a lane's file, as its pipeline reads them. Reading two days of a device takes seconds, in which the lane's thread does
/// nothing else.
final class LaneHistory: HistoryReader {
    private static let minutes = 64
    private let store: CheckpointStore
    /// Called after each hour or so of samples.
    var whileReading: () -> Void = {}
    /// Why the latest read failed; nil where it did not.
    private(set) var problem: String?

    init(store: CheckpointStore) { self.store = store }

    func readHistory(of device: DeviceID, in minutes: Range<Int>, _ body: (HistoryMinute) throws -> Void) throws {
        var count = 0
        do {
            try store.readHistory(of: device, in: minutes) { minute in
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
