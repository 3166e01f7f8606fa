extension GatewayConfiguration {
    /// A short hash of the `derive` section, 4 hexadecimal digits: the `config` of a derived message's `derivation`.
    ///
    /// Equal settings give equal digits on every machine; different settings differ but for one case in 65,536. Whether a value was
    /// written or is the default makes no difference.
    package var deriveFingerprint: String {
        let hash = ConfigurationReference.settings.lazy
            .filter { $0.path.hasPrefix("derive.") }
            .map { "\($0.path)=\($0.text(self))\n" }
            .reduce(FNV1a()) { $0.adding($1) }
        let folded = hash.value ^ (hash.value >> 32)
        let digits = String((folded ^ (folded >> 16)) & 0xFFFF, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}

/// The 64-bit FNV-1a hash.
private struct FNV1a {
    var value: UInt64 = 0xCBF2_9CE4_8422_2325

    func adding(_ text: String) -> FNV1a {
        FNV1a(value: text.utf8.reduce(value) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
    }
}
