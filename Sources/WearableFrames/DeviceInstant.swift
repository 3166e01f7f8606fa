#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The readings of a device's two clocks at one instant.
public struct DeviceInstant: Sendable, Hashable {
    /// Seconds of the monotonic clock, the clock of Core Motion's timestamps: 0 or more, under 2^32.
    public var uptime: Double

    /// Seconds since 1970 of the wall clock. A reading outside 2001 to 2100 is left out of frames.
    public var unix: Double

    /// An instant with both readings.
    public init(uptime: Double, unix: Double) {
        self.uptime = uptime
        self.unix = unix
    }

    /// Now. The wall clock is read between two readings of the monotonic clock that are at most 1 ms apart.
    public static var now: DeviceInstant {
        var reading = read()
        var attempts = 1
        while reading.spread > 1e-3, attempts < maximumAttempts {
            let next = read()
            if next.spread < reading.spread { reading = next }
            attempts += 1
        }
        return reading.instant
    }

    private static let maximumAttempts = 8

    private static func read() -> (instant: DeviceInstant, spread: Double) {
        let before = seconds(of: monotonicClock)
        let unix = seconds(of: CLOCK_REALTIME)
        let after = seconds(of: monotonicClock)
        return (DeviceInstant(uptime: (before + after) / 2, unix: unix), after - before)
    }

    // Both stop while the system sleeps, as `ProcessInfo.systemUptime` and Core Motion's timestamps do.
    #if canImport(Darwin)
        private static let monotonicClock = CLOCK_UPTIME_RAW
    #else
        private static let monotonicClock = CLOCK_MONOTONIC
    #endif

    private static func seconds(of clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
