/// The settings of wear.
package struct WearSettings: DerivationSettings {
    /// How long a state is valid without later samples, in hours.
    package var validHours = 36.0

    /// The defaults.
    package init() {}

    /// `derive.wear`.
    package static let table: [DerivationSetting<Self>] = []
}
