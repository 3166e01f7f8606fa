/// An instant of the app: nanoseconds since 1970, rounded to 256 ns by its number type.
struct SensorLoggerTime: Comparable {
    private let nanoseconds: Int64

    /// Reads a number, however it is written; throws `wrongType` or `timeOutOfRange`.
    init(_ node: JSONNode) throws(Rejection) {
        let number = try node.number()
        let exact = node.kind == .integer ? Int64(node.uncheckedInteger) : Int64(exactly: number.rounded())
        nanoseconds = exact ?? 0
        guard FrameClock.wallClock.contains(seconds) else {
            throw node.rejection(.timeOutOfRange, "\(number) is not nanoseconds since 1970, between 2001 and 2100")
        }
    }

    /// Unix seconds, the nearest number to the exact ones.
    var seconds: Double { Double(nanoseconds / 1_000_000_000) + Double(nanoseconds % 1_000_000_000) / 1e9 }

    static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
}
