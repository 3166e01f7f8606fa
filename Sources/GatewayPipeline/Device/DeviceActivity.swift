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
    /// Whether its pipeline has read everything that the broker had queued before it.
    let isCurrent: Bool

    init(_ frame: NormalizedFrame, of device: DeviceID, isSteady: Bool, isCurrent: Bool) {
        self.device = device
        stream = frame.stream
        header = frame.header
        entry = frame.historyEntry
        self.isSteady = isSteady
        self.isCurrent = isCurrent
    }
}
