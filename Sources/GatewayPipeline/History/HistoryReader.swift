package import TelemetryModel

/// Where the stored minutes of histories are read.
package protocol HistoryReader {
    /// Calls `body` with the samples of `device` in `minutes`, in order. A minute that cannot be read is set aside first, and left out: what
    /// comes of it later must not replace it unseen.
    func readHistory(of device: DeviceID, in minutes: Range<Int>, _ body: (HistoryMinute) throws -> Void) throws
}
