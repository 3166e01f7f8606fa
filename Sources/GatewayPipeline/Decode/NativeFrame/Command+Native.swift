internal import TelemetryModel

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
