/// The settings of orientations.
package struct OrientationSettings: DerivationSettings {
    /// Orientations a second of device time, at most.
    package var rateHertz = 10.0
    /// How long an orientation is valid without another, in s.
    package var validSeconds = 2.0

    /// The defaults.
    package init() {}

    /// `derive.orientation`.
    package static let table: [DerivationSetting<Self>] = [
        .number("rateHertz", \.rateHertz, in: 0.1...10, unit: "hertz", "How often an orientation is published")
    ]
}
