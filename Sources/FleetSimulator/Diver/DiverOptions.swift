/// Where a simulated diver goes and what the watch may measure there.
package struct DiverOptions: Sendable, Hashable {
    /// The way down and up.
    package var profile: DepthProfile = .sevenMeters

    /// The depth the watch is entitled to measure, m: 6 (shallow) or 40 (full).
    package var maximumDepth: Double = 40

    /// The `entitlements` in the watch's `status`.
    package var entitlements: [String] = [DiverOptions.fullEntitlement]

    /// Measurements in a frame, 1 to 3, at three a second under water.
    package var measurementsPerFrame: Int = 1

    /// Whether measurements carry the watch's own `submersionState`.
    package var reportsState: Bool = true

    /// The water, C.
    package var waterTemperature: Double = 17.8

    /// Stretches, in seconds since the device's start, in which nothing is sent though all goes on.
    package var silences: [Range<Double>] = []

    /// A diver with the entitlement that ends at 6 m.
    package static let shallow = DiverOptions(maximumDepth: 6, entitlements: [shallowEntitlement])

    /// A watch that measures but holds no entitlement.
    package static let unentitled = DiverOptions(maximumDepth: 6, entitlements: [])

    /// Apple's entitlement for depths to 40 m.
    package static let fullEntitlement = "com.apple.developer.submerged-depth-and-pressure"

    /// Apple's entitlement for depths to 6 m.
    package static let shallowEntitlement = "com.apple.developer.submerged-shallow-depth-and-pressure"
}
