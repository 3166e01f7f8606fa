package import GatewayPipeline

/// How long Home Assistant shows a state without another, in seconds: `expire_after`.
package struct EntityExpiry: Sendable {
    private let derive: DeriveSettings
    /// Of the gateway's status.
    package let status: Int

    /// By the settings of a gateway that counts as silent after `silentSeconds` without a status.
    package init(derive: DeriveSettings = DeriveSettings(), silentSeconds: Double = 60) {
        self.derive = derive
        status = Int(silentSeconds.rounded(.up))
    }

    /// Of a kind of which every state is published again and again, in an interval by the settings.
    /// It is three of them, so that one message may be lost and another late.
    func expiry(of interval: (DeriveSettings) -> Double) -> Int { Int(max(10, min(interval(derive) * 3, 1e6)).rounded(.up)) }
}
