import GatewayPipeline
import TelemetryModel

/// The state of headphones: their connection and the head pose.
struct HeadState: Sendable, Hashable {
    /// The path of the messages of their connection.
    static let connectionPath = "connection/\(ConnectionSubject.headphone.rawValue)"

    private(set) var connection: String?
    private(set) var bud: String?
    private(set) var pose: Pose?
    /// When the pose was measured, and until when it holds.
    private(set) var poseValidity = Validity()
    private(set) var poses = 0
    private(set) var handovers = 0
    /// When the last one was: a broker sends a retained message again to each connection.
    private var handoverAt = -Double.infinity
    private(set) var timesTakenOut = 0
    private(set) var timesPutBack = 0

    struct Pose: Sendable, Hashable {
        /// rad.
        var yaw, pitch, roll: Double
    }

    /// Processes a message and returns what to show, nil for nothing and for other kinds.
    mutating func take(_ fields: ShownFields) -> Phrase? {
        if fields.path == HeadPose.name { takePose(fields) }
        return fields.path == Self.connectionPath ? takeConnection(fields) : nil
    }

    private mutating func takePose(_ fields: ShownFields) {
        guard let yaw = fields.number("yaw"), let pitch = fields.number("pitch"), let roll = fields.number("roll") else { return }
        pose = Pose(yaw: yaw, pitch: pitch, roll: roll)
        poseValidity = fields.validity
        bud = fields.text("sensorLocation") ?? bud
        poses += 1
    }

    private mutating func takeConnection(_ fields: ShownFields) -> Phrase? {
        guard let state = fields.text("state") else { return nil }
        let before = connection
        connection = state
        if fields.text("cause") == "handover", let at = fields.at, at > handoverAt {
            handoverAt = at
            let from = fields.text("previousLocation") ?? bud
            bud = fields.text("sensorLocation") ?? bud
            handovers += 1
            return Phrase("\(Self.name(of: from)) hands over to the \(Self.name(of: bud))", .notice)
        }
        bud = fields.text("sensorLocation") ?? bud
        guard state != before else { return nil }
        switch state {
        case "disconnected":
            (pose, timesTakenOut) = (nil, timesTakenOut + 1)
            return Phrase("taken out", .notice)
        case "silent":
            return Phrase("silent", .warning)
        case "connected" where before == "disconnected":
            timesPutBack += 1
            return Phrase("put back", .good)
        case "connected":
            return before == "silent" ? Phrase("data again", .good) : Phrase("in the ears", .good)
        default:
            return Phrase(state, .notice)
        }
    }

    mutating func clear(_ path: String) {
        if path == HeadPose.name { pose = nil }
        if path == Self.connectionPath { connection = nil }
    }

    func headline(at now: Double, isLive: Bool) -> Phrase {
        switch connection {
        case "disconnected": return Phrase("taken out", .quiet)
        case "silent": return Phrase("silent", .warning)
        default:
            guard let poseText else { return Phrase("in the ears, waiting for a still moment", .quiet) }
            return isLive && poseValidity.isCurrent(at: now) ? Phrase(poseText) : Phrase("pose unknown, was \(poseText)", .quiet)
        }
    }

    var poseText: String? {
        pose.map { "\(Self.name(of: bud)), yaw \($0.yaw.degrees), pitch \($0.pitch.degrees), roll \($0.roll.degrees)" }
    }

    /// A dial seen from above: the dot is the direction of the head, a quarter turn to either side.
    func dial(width: Int) -> [Phrase] {
        let middle = width / 2
        var cells = Array(repeating: Character("─"), count: width)
        cells[middle] = "┴"
        guard connection != "disconnected", let pose, pose.yaw.isFinite else { return [Phrase(String(cells), .quiet)] }
        // Core Motion counts yaw counterclockwise: positive is to the left.
        let turn = max(-1, min(1, -pose.yaw / (.pi / 2)))
        let dot = middle + Int((turn * Double(middle)).rounded())
        return [
            Phrase(String(cells[..<dot]), .quiet), Phrase("●", .notice), Phrase(String(cells[(dot + 1)...]), .quiet),
        ]
    }

    var summary: String? {
        guard poses > 0 || connection != nil else { return nil }
        var parts = [handovers.counted("handover")]
        if timesTakenOut > 0 { parts.append("taken out \(Self.times(timesTakenOut))") }
        if timesPutBack > 0 { parts.append("put back \(Self.times(timesPutBack))") }
        return (parts + [poses.counted("head pose")]).joined(separator: ", ")
    }

    private static func times(_ count: Int) -> String {
        count == 1 ? "once" : count.counted("time")
    }

    private static func name(of location: String?) -> String {
        switch location {
        case "headphoneLeft": "left bud"
        case "headphoneRight": "right bud"
        default: "headphones"
        }
    }
}
