/// Core Motion's depth states by their raw values.
enum DepthZone: Int, Sendable, Hashable, Comparable {
    case unknown = 0
    case notSubmerged = 100
    case submergedShallow = 200
    case submergedDeep = 300
    case approachingMaxDepth = 400
    case pastMaxDepth = 500
    case sensorDepthError = 600

    init?(name: String) {
        switch name {
        case "unknown": self = .unknown
        case "notSubmerged": self = .notSubmerged
        case "submergedShallow": self = .submergedShallow
        case "submergedDeep": self = .submergedDeep
        case "approachingMaxDepth": self = .approachingMaxDepth
        case "pastMaxDepth": self = .pastMaxDepth
        case "sensorDepthError": self = .sensorDepthError
        default: return nil
        }
    }

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

    static func < (left: DepthZone, right: DepthZone) -> Bool { left.rawValue < right.rawValue }
}
