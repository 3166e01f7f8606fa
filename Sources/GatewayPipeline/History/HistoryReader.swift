package import TelemetryModel

/// Where the stored minutes of histories are read.
package protocol HistoryReader {
    /// Calls `body` with the rows of `device` in `minutes`, in order.
    func readHistory(of device: DeviceID, in minutes: Range<Int>, _ body: (HistoryRow) throws -> Void) throws
}
