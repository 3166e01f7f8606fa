package import TelemetryModel

extension DerivedBody {
    /// The whole path after `out/`.
    package var kind: String {
        switch self {
        case .depthState: "depth-state"
        case .waterTemperature: "water-temperature"
        case .dive: "dive"
        case .impact: "impact"
        case .swing: "swing"
        case .stroke: "stroke"
        case .convention(let report): "convention/\(report.stream.rawValue)"
        case .connection(let change): "connection/\(change.subject.rawValue)"
        case .headPose: "head-pose"
        case .access(let decision): "access/\(decision.stream.rawValue)"
        case .gap: "gap"
        }
    }

    /// Whether it is a `depth-state`.
    var isDepthState: Bool { if case .depthState = self { true } else { false } }

    /// Whether the broker keeps the latest message for those who subscribe later.
    package var isRetained: Bool {
        switch self {
        case .depthState, .waterTemperature, .connection, .headPose, .access, .convention: true
        case .dive, .impact, .swing, .stroke, .gap: false
        }
    }

    /// The version of the derivation that made it.
    package var derivationVersion: Int { 1 }

    /// What tells apart two events of one kind at one instant, so that one id never stands for two contents.
    ///
    /// Made of fixed tokens: a value that gets another name on the wire keeps its token, and so its ids.
    var discriminator: String {
        switch self {
        case .depthState(let change):
            "\(change.previous.rawValue)>\(change.state.rawValue):\(change.cause.idToken)"
        case .waterTemperature: ""
        case .dive(let dive): "\(dive.start.microseconds)"
        case .impact(let impact): impact.axis.rawValue
        case .swing(let swing): "\(swing.contact):\(swing.startAt.microseconds)"
        case .stroke(let stroke): "\(stroke.stroke.rawValue):\(stroke.forehandCount):\(stroke.backhandCount)"
        case .convention(let report): "\(report.gravityScale):\(report.accelerationScale):\(report.turnsAttitude)"
        case .connection(let change):
            "\(change.previous?.idToken ?? "")>\(change.state.idToken):\(change.cause.rawValue)"
                + ":\(change.previousLocation?.name ?? "")>\(change.sensorLocation?.name ?? "")"
        case .headPose(let pose): "\(pose.referenceAt.microseconds)"
        case .access(let decision):
            "\(decision.reason.rawValue):" + decision.refusedHalves.map(\.rawValue).joined(separator: ",")
        case .gap(let gap):
            "\(gap.stream.rawValue):\(gap.unit.rawValue):\(gap.from.microseconds):\(gap.firstSequence ?? 0):\(gap.expected)"
        }
    }
}

extension ConnectionState {
    /// What ids are computed from.
    fileprivate var idToken: String { self == .silent ? "stale" : rawValue }
}

extension DepthCause {
    /// What ids are computed from; a reboot was once a restart.
    fileprivate var idToken: String { self == .reboot ? "restart" : rawValue }
}
