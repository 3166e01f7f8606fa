package import TelemetryModel

/// Activity of a device in one pipeline, for the one that derives its connection.
package struct DeviceActivity: Sendable, Equatable {
    /// Whose it is.
    package let device: DeviceID
    /// The stream it came on.
    package let stream: StreamName
    private(set) var header: FrameHeader
    private(set) var entry: FrameHistory.Entry
    /// Whether the stream has a nominal rate, so that its silence counts.
    let isSteady: Bool
    /// Whether its pipeline has read everything that the broker had queued before it.
    let isCurrent: Bool
    /// The number of the frame's run, and how many runs of the boot have ended in its pipeline.
    let run: Int
    let endedRuns: Int

    init(_ frame: NormalizedFrame, of device: DeviceID, isSteady: Bool, isCurrent: Bool, endedRuns: Int) {
        self.device = device
        stream = frame.stream
        header = frame.header
        entry = frame.historyEntry
        self.isSteady = isSteady
        self.isCurrent = isCurrent
        run = frame.run
        self.endedRuns = endedRuns
    }

    /// Moves its times to the clock of a pipeline that has not seen the device's clock fall: to the device's time there, `now`.
    mutating func shift(to now: DeviceTime) {
        let seconds = now - header.uptime
        header.uptime = now
        (entry.first, entry.last) = (entry.first + seconds, entry.last + seconds)
        entry.offset -= seconds
    }
}
