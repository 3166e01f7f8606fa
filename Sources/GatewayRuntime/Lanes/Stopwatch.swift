import Glibc

/// Measures how long successive steps take.
struct Stopwatch {
    private var last = Self.now

    /// Starts now.
    init() {}

    /// The seconds since the last lap, or since the start.
    mutating func lap() -> Double {
        let now = Self.now
        defer { last = now }
        return Double(now - last) / 1e9
    }

    /// The monotonic clock in nanoseconds.
    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
