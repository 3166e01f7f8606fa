import TelemetryModel

/// The id of a derived message: the same input always gives the same one.
///
/// 128-bit FNV-1a (offset basis and prime as published by its authors) over the parts, each ended by a zero byte.
/// It recognises repeats; it is no protection against somebody who wants two messages to collide.
enum MessageID {
    private static let basis: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
    private static let prime: UInt128 = (1 << 88) + 0x13b

    /// 32 hexadecimal digits from what identifies an event: device, kind, boot, anchor and what tells equals apart.
    static func make(device: DeviceID, kind: String, boot: BootID?, anchorMicroseconds: Int64, discriminator: String)
        -> String
    {
        var hash = basis
        for part in [device.rawValue, kind, boot?.rawValue ?? "", String(anchorMicroseconds), discriminator] {
            for byte in part.utf8 { hash = (hash ^ UInt128(byte)) &* prime }
            hash = hash &* prime
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }
}
