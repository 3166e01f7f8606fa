/// The settings of quantization errors.
package struct QuantizationSettings: DerivationSettings {
    /// No settings but `enabled`.
    package static let table: [DerivationSetting<Self>] = []

    /// The defaults.
    package init() {}
}
