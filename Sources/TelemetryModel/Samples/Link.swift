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
    /// When it happened.
    public var time: DeviceTime

    /// An event at `time`.
    public init(event: Event, time: DeviceTime) {
        self.event = event
        self.time = time
    }
}

/// A command of an app to the derivations of its device.
public enum Command: Sendable, Hashable, Codable {
    /// Take the next calm moment as the reference pose.
    case resetHeadPose
    /// Count strokes, punches and sets from zero.
    case resetCounts
    /// Take the next calm moment as the neutral posture.
    case calibratePosture
    /// Take the next calm moment as the pose of that name.
    case learnPose(String)
    /// Drop the learned pose of that name.
    case forgetPose(String)

    /// What a command is called on the wire.
    public enum Word: String, Sendable, CaseIterable {
        /// Without further fields.
        case resetHeadPose, resetCounts, calibratePosture
        /// With the name of a pose.
        case learnPose, forgetPose
    }

    /// What it is called on the wire.
    public var word: Word {
        switch self {
        case .resetHeadPose: .resetHeadPose
        case .resetCounts: .resetCounts
        case .calibratePosture: .calibratePosture
        case .learnPose: .learnPose
        case .forgetPose: .forgetPose
        }
    }
}
