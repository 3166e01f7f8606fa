internal import TelemetryModel

extension DeviceStatus {
    private static let longestText = 128
    private static let mostEntitlements = 64

    /// Reads a status; only `state` is required, unknown capabilities are skipped.
    init(_ frame: some FrameValue) throws(Rejection) {
        self.init(state: try frame.required("state").value(in: WireNames.deviceState))
        model = try Self.text("model", of: frame)
        os = try Self.text("os", of: frame)
        authorization = try frame.optional("authorization")?.value("motion", in: WireNames.authorization)
        available = try Self.available(frame)
        entitlements = try Self.entitlements(frame)
        wristLocation = try frame.value("wristLocation", in: WireNames.side)
        crownOrientation = try frame.value("crownOrientation", in: WireNames.side)
    }

    private static func text(_ key: String, of frame: some FrameValue) throws(Rejection) -> String? {
        try frame.optional(key)?.line(maximumBytes: longestText)
    }

    private static func available(_ frame: some FrameValue) throws(Rejection) -> [Capability: Bool] {
        guard let node = try frame.optional("available") else { return [:] }
        var available: [Capability: Bool] = [:]
        for capability in Capability.allCases {
            available[capability] = try node.optional(capability.rawValue)?.boolean()
        }
        return available
    }

    private static func entitlements(_ frame: some FrameValue) throws(Rejection) -> [String]? {
        guard let node = try frame.optional("entitlements") else { return nil }
        guard try node.count() <= mostEntitlements else {
            throw node.rejection(.invalidValue, "more than \(mostEntitlements) entitlements")
        }
        return try node.map { element throws(Rejection) in try element.line(maximumBytes: longestText) }
    }
}

extension Command {
    /// Reads a command, and the name of the pose that it is about.
    init(_ frame: some FrameValue) throws(Rejection) {
        switch try frame.required("command").value(in: WireNames.command) {
        case .resetHeadPose: self = .resetHeadPose
        case .resetCounts: self = .resetCounts
        case .calibratePosture: self = .calibratePosture
        case .learnPose: self = .learnPose(try Self.pose(of: frame))
        case .forgetPose: self = .forgetPose(try Self.pose(of: frame))
        }
    }

    private static func pose(of frame: some FrameValue) throws(Rejection) -> String {
        let node = try frame.required("name")
        let name = try node.string()
        guard PoseTemplate.isName(name) else {
            throw node.rejection(.invalidValue, "found \(name.quoted), expected 1 to 32 of A-Z a-z 0-9 _ -")
        }
        return name
    }
}

extension WorkoutChange {
    /// Reads a change of the workout session; an activity given as HealthKit's raw value becomes its name where known.
    init(_ frame: some FrameValue, in context: FrameContext) throws(Rejection) {
        self.init(
            state: try frame.required("state").value(in: WireNames.workoutState),
            activity: try frame.optional("activity").map { node throws(Rejection) in try Self.activity(node) },
            time: try context.deviceTime(try frame.required("timestamp")))
    }

    private static func activity(_ node: some FrameValue) throws(Rejection) -> String {
        guard node.kind == .integer else { return try node.line(maximumBytes: 128) }
        let raw = try node.integer()
        guard raw >= 0 else { throw node.rejection(.invalidValue, "\(raw) is no activity of HealthKit") }
        return WireNames.activities[raw] ?? "\(raw)"
    }
}

extension HeadphoneConnectionEvent {
    /// Reads a connection event.
    init(_ frame: some FrameValue, in context: FrameContext) throws(Rejection) {
        self.init(
            event: try frame.required("event").value(in: WireNames.connectionEvent),
            time: try context.deviceTime(try frame.required("timestamp")))
    }
}
