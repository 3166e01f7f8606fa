/// Why no frame can be made of some values. Nothing was counted: the next frame has the same `seq`.
public enum FrameError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The monotonic clock of the frame is negative, not finite, or 2^32 seconds or more.
    case uptimeOutOfRange(Double)
    /// A field holds NaN or an infinity.
    case notFinite(field: String)
    /// A time is before the device's start, or 5 s or more past the frame's clock; of a date: outside 2001 to 2100.
    case timeOutOfRange(field: String, seconds: Double)
    /// Two samples are at the same microsecond, or the later one comes first.
    case timestampOrder(field: String, index: Int)
    /// A recorded sample is not 5 to 500 ms after the one before it.
    case sampleInterval(field: String, index: Int, seconds: Double)
    /// The quaternion of a sample is not of unit length, with a tolerance of 9 %.
    case notUnitLength(field: String, index: Int)
    /// A sample lacks what another sample of the frame has.
    case missing(field: String)
    /// There is nothing to send.
    case empty
    /// A list is longer than the contract allows.
    case tooMany(field: String, count: Int, limit: Int)
    /// A number is outside its range.
    case outOfRange(field: String, value: Double)
    /// A text is longer than 128 bytes, or holds characters that do not print.
    case invalidText(field: String)
    /// The frame would be larger than 256 KiB; send it in parts.
    case tooLarge(bytes: Int)
    /// 2^53 frames were made in this boot.
    case sequenceExhausted

    /// The problem in a sentence.
    public var description: String {
        switch self {
        case .uptimeOutOfRange(let seconds): "the uptime \(seconds) s is not between 0 and 2^32 s"
        case .notFinite(let field): "\(field) is not finite"
        case .timeOutOfRange(let field, let seconds): "\(field): \(seconds) s is out of range"
        case .timestampOrder(let field, let index): "\(field): sample \(index) is not later than the one before"
        case .sampleInterval(let field, let index, let seconds):
            "\(field): sample \(index) is \(seconds) s after the one before, 0.005 to 0.5 s are allowed"
        case .notUnitLength(let field, let index): "\(field): the quaternion of sample \(index) is not of unit length"
        case .missing(let field): "\(field) is missing, which other samples have"
        case .empty: "there is nothing to send"
        case .tooMany(let field, let count, let limit): "\(field): \(count) entries, at most \(limit) are allowed"
        case .outOfRange(let field, let value): "\(field): \(value) is out of range"
        case .invalidText(let field): "\(field): longer than 128 bytes, or with characters that do not print"
        case .tooLarge(let bytes): "the frame has \(bytes) bytes, at most 262144 are allowed"
        case .sequenceExhausted: "no seq is left in this boot"
        }
    }
}
