import TelemetryModel
import WearableProtobuf

extension Wearables_V1_Status {
    /// The status as a message.
    init(_ status: DeviceStatus) {
        self.init()
        state = status.state.rawValue
        if let model = status.model { self.model = model }
        if let os = status.os { self.os = os }
        if let motion = status.authorization { authorization.motion = number(motion) }
        available = Dictionary(uniqueKeysWithValues: status.available.map { ($0.rawValue, $1) })
        if let entitlements = status.entitlements { self.entitlements.value = entitlements }
        if status.entitlements?.isEmpty == true { entitlements = .init() }
        if let side = status.wristLocation { wristLocation = number(side) }
        if let side = status.crownOrientation { crownOrientation = number(side) }
    }
}

/// The raw value of a case whose cases are in the order of Apple's raw values.
private func number<Value: CaseIterable & Equatable>(_ value: Value) -> Int32 {
    Int32(clamping: Value.allCases.enumerated().first { $0.element == value }?.offset ?? 0)
}

extension Wearables_V1_Workout {
    /// The change as a message.
    init(_ change: WorkoutChange) {
        self.init()
        state = Int32(clamping: change.state.rawValue)
        if let activity = change.activity { self.activity = activity }
        timestamp = change.time.seconds
    }
}

extension Wearables_V1_Command {
    /// The command as a message.
    init(_ command: Command) {
        self.init()
        self.command = command.word.rawValue
        switch command {
        case .learnPose(let name), .forgetPose(let name): self.name = name
        case .resetHeadPose, .resetCounts, .calibratePosture: break
        }
    }
}
