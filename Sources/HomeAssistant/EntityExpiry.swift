package import GatewayPipeline

/// How long Home Assistant shows a state without another, in seconds: `expire_after`.
package struct EntityExpiry: Sendable, Equatable {
    /// Of head poses.
    package var headPose: Int
    /// Of the gateway's status.
    package var status: Int

    /// By the settings of a gateway that publishes its status every `statusSeconds`.
    package init(derive: DeriveSettings = DeriveSettings(), statusSeconds: Double = 10) {
        let poses = derive[HeadPoseDerivation.self]
        headPose = Self.seconds(max(poses.silenceSeconds, 1 / poses.rateHertz), atLeast: 10)
        status = Self.seconds(statusSeconds, atLeast: 60)
    }

    /// Three intervals, so that one message may be lost and another late.
    private static func seconds(_ interval: Double, atLeast least: Double) -> Int {
        Int(max(least, min(interval * 3, 1e6)).rounded(.up))
    }

    subscript(refresh: Component.Refresh) -> Int {
        switch refresh {
        case .headPose: headPose
        case .status: status
        }
    }
}
