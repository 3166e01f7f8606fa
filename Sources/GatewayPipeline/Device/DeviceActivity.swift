package import TelemetryModel

/// A sign of life that one pipeline has seen and the one that judges the device's connection has not.
package struct DeviceActivity: Sendable, Equatable {
    /// Whose it is.
    package let device: DeviceID
    /// The stream it came on.
    package let stream: StreamName
    let header: FrameHeader
    let entry: FrameHistory.Entry
    /// Whether the stream has a nominal rate, so that its silence means something.
    let isSteady: Bool

    init(_ frame: NormalizedFrame, of device: DeviceID, isSteady: Bool) {
        self.device = device
        stream = frame.stream
        header = frame.header
        entry = frame.historyEntry
        self.isSteady = isSteady
    }
}
