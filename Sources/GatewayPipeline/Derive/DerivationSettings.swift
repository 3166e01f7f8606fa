/// What can be set of one derivation. Every property that can be set from outside stands once in `table`; its initial value is
/// the default.
package protocol DerivationSettings: Sendable, Equatable {
    /// The defaults.
    init()

    /// The settings, in the order of the reference.
    static var table: [DerivationSetting<Self>] { get }

    /// What settings must agree on; nothing by default.
    static var rules: [DerivationRule<Self>] { get }

    /// Takes over what is a setting of another derivation; nothing by default.
    mutating func adopt(from others: DeriveSettings)

    /// The settings that hold for one device; the same for all by default.
    func resolved(for device: DeviceFacts) -> Self
}

extension DerivationSettings {
    package static var rules: [DerivationRule<Self>] { [] }

    package mutating func adopt(from others: DeriveSettings) {}

    package func resolved(for device: DeviceFacts) -> Self { self }
}

/// Something that settings of a derivation must agree on.
package struct DerivationRule<Settings>: Sendable {
    /// The keys, in no order.
    package let keys: [String]
    /// What must be so.
    package let agreement: String
    /// Whether it is not.
    package let isBroken: @Sendable (Settings) -> Bool

    /// A rule for `keys`.
    package init(_ keys: String..., agreement: String, isBroken: @escaping @Sendable (Settings) -> Bool) {
        self.keys = keys
        self.agreement = agreement
        self.isBroken = isBroken
    }
}
