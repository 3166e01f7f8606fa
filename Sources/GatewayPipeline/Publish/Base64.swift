/// RFC 4648 base64, with padding.
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")

    /// The text for `bytes`.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var iterator = bytes.makeIterator()
        while let first = iterator.next() {
            let second = iterator.next()
            let third = iterator.next()
            let group = UInt32(first) << 16 | UInt32(second ?? 0) << 8 | UInt32(third ?? 0)
            text.append(alphabet[Int(group >> 18 & 63)])
            text.append(alphabet[Int(group >> 12 & 63)])
            text.append(second == nil ? padding : alphabet[Int(group >> 6 & 63)])
            text.append(third == nil ? padding : alphabet[Int(group & 63)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of `text`; nil when it is not well-formed.
    package static func decode(_ text: String) -> [UInt8]? {
        let utf8 = Array(text.utf8)
        guard utf8.count % 4 == 0 else { return nil }
        let digits = utf8.reversed().drop { $0 == padding }.reversed()
        guard utf8.count - digits.count <= 2 else { return nil }
        var bytes: [UInt8] = []
        var group: UInt32 = 0
        var bits = 0
        for digit in digits {
            guard let value = alphabet.firstIndex(of: digit) else { return nil }
            group = group << 6 | UInt32(value)
            bits += 6
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(bits)))
        }
        return bytes
    }
}
