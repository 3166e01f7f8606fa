package import TelemetryModel

/// The depth states of the water column under one entitlement.
///
/// Every comparison is written so that NaN gives the deepest state.
package struct DepthLadder: Sendable {
    private let maximumDepth: Double
    private let settings: SubmersionSettings

    /// The states for a maximum depth in m.
    package init(maximumDepth: Double, settings: SubmersionSettings) {
        self.maximumDepth = maximumDepth
        self.settings = settings
    }

    /// The state at `depth` m under water, without hysteresis: at 1 m it is deep, at the other thresholds not yet deeper.
    package func state(at depth: Double) -> DepthState {
        if !(depth <= settings.sensorErrorFraction * maximumDepth) { return .sensorDepthError }
        if !(depth <= maximumDepth) { return .pastMaxDepth }
        if !(depth <= settings.approachingFraction * maximumDepth) { return .approachingMaxDepth }
        if !(depth < Self.deepMeters) { return .submergedDeep }
        return .submergedShallow
    }

    /// The state at `depth` m under water after `held`: deeper at once, shallower only where the state would be shallower
    /// even `hysteresisMeters` further down.
    package func state(at depth: Double, after held: DepthState) -> DepthState {
        max(state(at: depth), min(held, state(at: depth + settings.hysteresisMeters)))
    }

    /// The boundary of `submergedShallow` and `submergedDeep` in m; Core Motion's.
    private static let deepMeters = 1.0
}
