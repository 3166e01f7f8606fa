import GatewayPipeline
import TelemetryModel

extension DepthState {
    /// 0 at the surface to 5.
    var level: Int { max(0, rawValue / 100 - 1) }

    var tone: Tone {
        switch self {
        case .notSubmerged: .plain
        case .submergedShallow, .submergedDeep: .notice
        case .unknown, .approachingMaxDepth: .warning
        case .pastMaxDepth, .sensorDepthError: .danger
        }
    }
}
