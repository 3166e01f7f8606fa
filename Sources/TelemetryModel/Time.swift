/// An instant on a device's own monotonic clock, in seconds since that device booted.
///
/// Comparable only within one (device, boot).
public struct DeviceTime: ClockTime {
    /// Seconds since the device booted.
    public var seconds: Double

    /// An instant `seconds` after the device booted.
    public init(_ seconds: Double) { self.seconds = seconds }

    /// The instant in whole microseconds, the resolution of message ids; `Int64.max` from 2^63 us on, which no decoder admits.
    public var microseconds: Int64 { Int64(exactly: (seconds * 1e6).rounded()) ?? .max }
}

/// An instant on the wall clock, in seconds since 1970-01-01 00:00 UTC.
public struct UnixTime: ClockTime {
    /// Seconds since 1970.
    public var seconds: Double

    /// An instant `seconds` after 1970 began.
    public init(_ seconds: Double) { self.seconds = seconds }
}

/// An instant on one clock, as seconds from that clock's zero. Instants of different clocks are different types.
public protocol ClockTime: Hashable, Sendable, Comparable, Codable, BitwiseCopyable {
    /// Seconds from the clock's zero.
    var seconds: Double { get set }

    /// An instant `seconds` from the clock's zero.
    init(_ seconds: Double)
}

extension ClockTime {
    /// Reads a number of seconds.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(Double.self))
    }

    /// Writes a number of seconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(seconds)
    }

    /// Orders by time.
    public static func < (left: Self, right: Self) -> Bool { left.seconds < right.seconds }
    /// The instant `seconds` later.
    public static func + (left: Self, seconds: Double) -> Self { Self(left.seconds + seconds) }
    /// The instant `seconds` earlier.
    public static func - (left: Self, seconds: Double) -> Self { Self(left.seconds - seconds) }
    /// The seconds from `right` to `left`.
    public static func - (left: Self, right: Self) -> Double { left.seconds - right.seconds }
}
