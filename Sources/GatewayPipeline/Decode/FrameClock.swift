package import TelemetryModel

/// The device times that a frame may contain: from the device's start to 5 s past its `uptime`.
package struct FrameClock: Sendable, Equatable {
    /// How far in seconds a time may lie outside, for clocks that are read one after the other.
    package static let toleranceSeconds = 5.0
    /// The unix times that a device's wall clock may show, in seconds: 2001-01-01 to 2100-01-01 UTC. A time in another unit
    /// lies outside.
    static let wallClock = 978_307_200.0...4_102_444_800.0
    /// The end of every device time read here, in seconds: 2^53 us, 285 years. Up to it every whole microsecond is a number of
    /// its own, so that ids, which hold microseconds, distinguish events of different times.
    static let end = 0x1p53 / 1e6

    /// The device's monotonic clock when it sent the frame.
    package var uptime: DeviceTime

    /// Whether `time` is neither negative, nor more than the tolerance past the clock's reading, nor past the end; false for
    /// NaN.
    package func admits(_ time: DeviceTime) -> Bool {
        time.seconds >= 0 && time.seconds <= uptime.seconds + Self.toleranceSeconds && time.seconds < Self.end
    }
}
