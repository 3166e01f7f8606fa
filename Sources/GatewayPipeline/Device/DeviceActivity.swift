package import TelemetryModel

/// Activity of a device in one pipeline, for the one that derives its connection.
package struct DeviceActivity: Sendable, Equatable {
    /// Whose it is.
    package let device: DeviceID
    /// The stream it came on.
    package let stream: StreamName
    let header: FrameHeader
    let entry: FrameHistory.Entry
    /// Whether the stream has a nominal rate, so that its silence counts.
    let isSteady: Bool

    init(_ frame: NormalizedFrame, of device: DeviceID, isSteady: Bool) {
        self.device = device
        stream = frame.stream
        header = frame.header
        entry = frame.historyEntry
        self.isSteady = isSteady
    }
}
