/// An instant of the app: nanoseconds since 1970, which its language rounds to 256 of them.
struct SensorLoggerTime: Comparable {
    /// 1973 to 2255: what is outside was written in another unit.
    private static let plausible: ClosedRange<Int64> = 100_000_000_000_000_000...9_000_000_000_000_000_000

    private let nanoseconds: Int64

    /// Reads a number, however it is written; throws `wrongType` or `timeOutOfRange`.
    init(_ node: JSONNode) throws(Rejection) {
        let number = try node.number()
        let exact = node.kind == .integer ? Int64(node.uncheckedInteger) : Int64(exactly: number.rounded())
        guard let exact, Self.plausible.contains(exact) else {
            throw node.rejection(.timeOutOfRange, "\(number) is not nanoseconds since 1970")
        }
        nanoseconds = exact
    }

    /// Unix seconds, the nearest number to the exact ones.
    var seconds: Double { Double(nanoseconds / 1_000_000_000) + Double(nanoseconds % 1_000_000_000) / 1e9 }

    static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
}
