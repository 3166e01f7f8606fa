/// The outermost element of an XML file, by the first bytes of it.
enum XMLRoot {
    /// Its name without a prefix; nil where the bytes are no XML, or where it is behind them.
    static func name(of beginning: [UInt8]) -> String? {
        guard let prolog = try? XMLProlog(beginning) else { return nil }
        let name = beginning[prolog.end...].dropFirst().prefix {
            $0 > 0x20 && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/")
        }
        let local = name.split(separator: UInt8(ascii: ":")).last ?? []
        return local.isEmpty ? nil : String(decoding: local, as: UTF8.self)
    }
}
