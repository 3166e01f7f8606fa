import GatewayPipeline

extension GatewayConfiguration {
    /// How frames are brought into the shared models.
    package struct Normalize: Sendable, Equatable {
        /// How raw motion is fused.
        package var fusion = Fusion()

        /// How acceleration and rotation rate become device motion.
        package struct Fusion: Sendable, Equatable {
            /// Whether the magnetic field is used where there is one, so that attitudes are relative to magnetic north.
            package var magnetometer = false
        }
    }
}

extension GatewayConfiguration.Normalize {
    static let settings: [Setting] = [
        Setting(
            "normalize.fusion.magnetometer", \.normalize.fusion.magnetometer,
            "Whether the magnetic field of raw motion is used, so that attitudes are relative to magnetic north")
    ]
}
