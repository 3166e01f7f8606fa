import TelemetryModel

extension GatewayConfiguration {
    /// A short hash of the `derive` section, 4 hexadecimal digits: the `config` of a derived message's `derivation`.
    ///
    /// Equal settings give equal digits on every machine; different settings differ but for one case in 65,536. Whether a value was
    /// written or is the default makes no difference.
    package var deriveFingerprint: String {
        var hash = FNV1a64()
        let lines = ConfigurationReference.settings.lazy
            .filter { $0.path.hasPrefix("derive.") }
            .map { "\($0.path)=\($0.text(self))\n" }
        for line in lines { hash.add(line) }
        let folded = hash.value ^ (hash.value >> 32)
        let digits = String((folded ^ (folded >> 16)) & 0xFFFF, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
