/// The settings of one derivation. Every property that can be configured is listed once in `table`; its initial value is the
/// default.
package protocol DerivationSettings: Sendable, Equatable {
    /// The defaults.
    init()

    /// The settings, in the order of the reference.
    static var table: [DerivationSetting<Self>] { get }

    /// The rules between settings; none by default.
    static var rules: [DerivationRule<Self>] { get }

    /// Copies values that are settings of another derivation; nothing by default.
    mutating func adopt(from others: DeriveSettings)

    /// The settings for one device; the same for all by default.
    func resolved(for device: DeviceFacts) -> Self
}

extension DerivationSettings {
    /// No rules.
    package static var rules: [DerivationRule<Self>] { [] }

    /// Copies nothing.
    package mutating func adopt(from others: DeriveSettings) {}

    /// These settings.
    package func resolved(for device: DeviceFacts) -> Self { self }
}

/// A rule between settings of a derivation.
package struct DerivationRule<Settings>: Sendable {
    /// The keys, in no order.
    package let keys: [String]
    /// The rule, in words.
    package let agreement: String
    /// Whether settings violate the rule.
    package let isBroken: @Sendable (Settings) -> Bool

    /// A rule for `keys`.
    package init(_ keys: String..., agreement: String, isBroken: @escaping @Sendable (Settings) -> Bool) {
        self.keys = keys
        self.agreement = agreement
        self.isBroken = isBroken
    }
}
