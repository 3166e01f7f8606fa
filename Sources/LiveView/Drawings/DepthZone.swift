import GatewayPipeline

/// Core Motion's depth states by their raw values.
package enum DepthZone: Int, Sendable, Hashable, Comparable, CaseIterable {
    case unknown = 0
    case notSubmerged = 100
    case submergedShallow = 200
    case submergedDeep = 300
    case approachingMaxDepth = 400
    case pastMaxDepth = 500
    case sensorDepthError = 600

    init?(name: String) {
        guard let zone = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = zone
    }

    /// The name in messages, such as `submergedDeep`.
    package var name: String { "\(self)" }

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

    package static func < (left: DepthZone, right: DepthZone) -> Bool { left.rawValue < right.rawValue }
}
