import TelemetryModel

/// The id of a derived message: the same input always gives the same one.
///
/// 128-bit FNV-1a over the parts, each ended by a zero byte.
enum MessageID {
    /// 32 hexadecimal digits from what identifies an event: device, kind, boot, its run but for the first, anchor and what distinguishes equals, the quality included
    /// where there is one.
    static func make(
        device: DeviceID, kind: String, boot: BootID?, run: Int? = nil, anchorMicroseconds: Int64, discriminator: String,
        quality: Quality? = nil
    ) -> String {
        var hash = FNV1a128()
        func add(_ part: String) {
            hash.add(part)
            hash.addEnd()
        }
        add(device.rawValue)
        add(kind)
        hash.add(boot?.rawValue ?? "")
        if boot != nil, let run {
            // No id of a boot holds the sign.
            hash.add("~")
            hash.add(String(run))
        }
        hash.addEnd()
        add(String(anchorMicroseconds))
        hash.add(discriminator)
        if let quality {
            hash.add(":")
            hash.add(quality.rawValue)
        }
        hash.addEnd()
        return hash.digits
    }
}
