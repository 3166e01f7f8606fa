/// A headphone connection or disconnection that the device reports.
public struct HeadphoneConnectionEvent: Sendable, Equatable, Codable {
    /// The two delegate calls of `CMHeadphoneMotionManager`.
    public enum Event: String, Sendable, Codable, CaseIterable {
        /// Headphones connected, or were put back in the ears.
        case didConnect
        /// Headphones disconnected, or were taken out of the ears.
        case didDisconnect
    }

    /// What happened.
    public var event: Event
    /// When.
    public var time: DeviceTime

    /// An event at `time`.
    public init(event: Event, time: DeviceTime) {
        self.event = event
        self.time = time
    }
}

/// A command of an app to the derivations of its device.
public enum Command: String, Sendable, Codable, CaseIterable {
    /// Take the next calm moment as the reference pose.
    case resetHeadPose
    /// Count strokes from zero.
    case resetCounts
}
