package import GatewayPipeline

/// How long Home Assistant shows a state without another, in seconds: `expire_after`.
package struct EntityExpiry: Sendable {
    private let derive: DeriveSettings
    /// Of the gateway's status.
    package let status: Int

    /// By the settings of a gateway that publishes its status every `statusSeconds`.
    package init(derive: DeriveSettings = DeriveSettings(), statusSeconds: Double = 10) {
        self.derive = derive
        status = Self.seconds(statusSeconds, atLeast: 60)
    }

    /// Of a kind of which every state is published again and again, in an interval by the settings.
    func expiry(of interval: (DeriveSettings) -> Double) -> Int { Self.seconds(interval(derive), atLeast: 10) }

    /// Three intervals, so that one message may be lost and another late.
    private static func seconds(_ interval: Double, atLeast least: Double) -> Int {
        Int(max(least, min(interval * 3, 1e6)).rounded(.up))
    }
}
