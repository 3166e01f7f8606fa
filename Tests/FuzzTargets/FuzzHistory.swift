import GatewayPipeline
import TelemetryModel

/// The histories that a gateway and its successors have written, in memory.
final class FuzzHistory: HistoryReader {
    private var rows: [DeviceID: [Int: HistoryRow]] = [:]

    /// Applies changes as the files do.
    func write(_ changes: [StateChange]) {
        for change in changes {
            if change.erasesHistory { rows[change.device] = nil }
            for row in change.history { rows[change.device, default: [:]][row.minute] = row }
        }
    }

    func readHistory(of device: DeviceID, in minutes: Range<Int>, _ body: (HistoryMinute) throws -> Void) throws {
        for row in (rows[device] ?? [:]).values.sorted(by: { $0.minute < $1.minute }) where minutes.contains(row.minute) {
            try body(row.samples())
        }
    }
}
