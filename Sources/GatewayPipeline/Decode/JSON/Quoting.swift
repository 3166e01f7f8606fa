extension Unicode.Scalar {
    /// Whether it can be printed in a log line unescaped: no control, format, separator, private or unassigned character.
    var isPrintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }

    /// The character where it can be printed, else its number as `\u{…}`.
    fileprivate var escaped: String { isPrintable ? String(self) : "\\u{\(String(value, radix: 16))}" }
}

extension String {
    private static let longest = 40

    /// The text with everything that a terminal could act on or hide as `\u{…}`, at its full length.
    package var escaped: String {
        guard unicodeScalars.contains(where: { !$0.isPrintable }) else { return self }
        return unicodeScalars.map(\.escaped).joined()
    }

    /// The text in quotation marks for a log line: at most 40 characters of it, unprintable ones escaped.
    var quoted: String { "\"" + shortened { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) } + "\"" }

    /// The text as one step of a JSON pointer, shortened and escaped as `quoted` is.
    var pointerToken: String {
        shortened { scalar in
            switch scalar {
            case "~": "~0"
            case "/": "~1"
            default: String(scalar)
            }
        }
    }

    private func shortened(_ escape: (Unicode.Scalar) -> String) -> String {
        let start = unicodeScalars.prefix(Self.longest)
        let text = start.map { $0.isPrintable ? escape($0) : $0.escaped }.joined()
        return start.endIndex == unicodeScalars.endIndex ? text : text + "…"
    }
}

extension [UInt8] {
    /// A line of JSON in which everything that a terminal could act on is written as `\u` and four digits: the same JSON, for such
    /// characters can stand in its strings only.
    package var printableJSON: [UInt8] {
        guard !isPlain else { return self }
        let text = String(decoding: self, as: UTF8.self)
        guard text.unicodeScalars.contains(where: { !$0.isPrintable }) else { return self }
        let escaped = text.unicodeScalars.map { scalar in
            guard !scalar.isPrintable else { return String(scalar) }
            return String(scalar).utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        }
        return Array(escaped.joined().utf8)
    }

    /// Whether all are characters of ASCII that print, read 16 at a time.
    private var isPlain: Bool {
        unsafe withUnsafeBytes { bytes in
            let last = SIMD16<UInt8>(repeating: 0x5E)
            let whole = bytes.count / 16 * 16
            var greatest = SIMD16<UInt8>(repeating: 0)
            for offset in stride(from: 0, to: whole, by: 16) {
                let distance = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self) &- 0x20
                greatest = pointwiseMax(greatest, distance)
            }
            guard all(greatest .<= last) else { return false }
            return unsafe bytes[whole...].allSatisfy { $0 &- 0x20 <= 0x5E }
        }
    }
}
