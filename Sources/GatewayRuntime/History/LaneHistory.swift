import GatewayPipeline
import TelemetryModel

/// The histories in a lane's file, as its pipeline reads them. Reading two days of a device takes seconds, in which the lane's thread does
/// nothing else.
final class LaneHistory: HistoryReader {
    private static let minutes = 64
    private let store: CheckpointStore
    /// Called after each hour or so of samples.
    var whileReading: () -> Void = {}

    init(store: CheckpointStore) { self.store = store }

    func readHistory(of device: DeviceID, in minutes: Range<Int>, _ body: (HistoryRow) throws -> Void) throws {
        var count = 0
        try store.readHistory(of: device, in: minutes) { row in
            try body(row)
            count += 1
            if count.isMultiple(of: Self.minutes) { whileReading() }
        }
    }
}
