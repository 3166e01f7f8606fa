/// Where a simulated diver goes and what the watch may measure there.
package struct DiverOptions: Sendable, Hashable {
    /// The way down and up.
    package var profile: DepthProfile

    /// The depth the watch is entitled to measure, m: 6 (shallow) or 40 (full).
    package var maximumDepth: Double

    /// The `entitlements` in the watch's `status`.
    package var entitlements: [String]

    /// Measurements in a frame, 1 to 3, at three a second under water.
    package var measurementsPerFrame: Int

    /// Whether measurements carry the watch's own `submersionState`.
    package var reportsState: Bool

    /// The water, C.
    package var waterTemperature: Double

    /// Stretches, in seconds since the device's start, in which nothing is sent though all goes on.
    package var silences: [Range<Double>]

    /// Creates options; by default one dive to 7 m with the full entitlement.
    package init(
        profile: DepthProfile = .sevenMeters,
        maximumDepth: Double = 40,
        entitlements: [String] = [DiverOptions.fullEntitlement],
        measurementsPerFrame: Int = 1,
        reportsState: Bool = true,
        waterTemperature: Double = 17.8,
        silences: [Range<Double>] = []
    ) {
        self.profile = profile
        self.maximumDepth = maximumDepth
        self.entitlements = entitlements
        self.measurementsPerFrame = measurementsPerFrame
        self.reportsState = reportsState
        self.waterTemperature = waterTemperature
        self.silences = silences
    }

    /// A diver with the entitlement that ends at 6 m.
    package static let shallow = DiverOptions(maximumDepth: 6, entitlements: [shallowEntitlement])

    /// A watch that measures but holds no entitlement.
    package static let unentitled = DiverOptions(maximumDepth: 6, entitlements: [])

    /// Apple's entitlement for depths to 40 m.
    package static let fullEntitlement = "com.apple.developer.submerged-depth-and-pressure"

    /// Apple's entitlement for depths to 6 m.
    package static let shallowEntitlement = "com.apple.developer.submerged-shallow-depth-and-pressure"
}
