/// The times that a frame may contain, in the whole microseconds that are written.
package struct TimeRule {
    /// The unix times that a device's wall clock may show, in seconds: 2001 to 2100.
    package static let wallClock = 978_307_200.0...4_102_444_800.0

    /// Up to 2^32 s every microsecond is a number of its own when it is read as a binary fraction.
    private static let end = Int64(1) << 32 * 1_000_000
    /// The contract allows 5 s past the frame's clock; a millisecond is kept for rounding.
    private static let tolerance: Int64 = 4_999_000

    private let uptime: Int64
    private let instant: DeviceInstant

    /// The rule for a frame made at `instant`; throws `uptimeOutOfRange`.
    init(_ instant: DeviceInstant) throws(FrameError) {
        guard let uptime = Self.microseconds(instant.uptime), (0..<Self.end).contains(uptime) else {
            throw .uptimeOutOfRange(instant.uptime)
        }
        self.uptime = uptime
        self.instant = instant
    }

    /// The microseconds that are written for `seconds`; nil where they are not finite or beyond 64 bits.
    static func microseconds(_ seconds: Double) -> Int64? { Int64(exactly: (seconds * 1e6).rounded()) }

    /// Throws unless the frame may contain a sample at `seconds` of the monotonic clock; returns its microseconds.
    @discardableResult
    func check(_ seconds: Double, _ field: @autoclosure () -> String) throws(FrameError) -> Int64 {
        guard seconds.isFinite else { throw .notFinite(field: field()) }
        guard let time = Self.microseconds(seconds), (0..<Self.end).contains(time), time <= uptime + Self.tolerance else {
            throw .timeOutOfRange(field: field(), seconds: seconds)
        }
        return time
    }

    /// Throws unless a sequence of times may stand in the frame as the `timestamp` column of `field`.
    func check(_ times: some Sequence<Double>, _ field: String) throws(FrameError) {
        var last: Int64 = -1
        var index = 0
        for seconds in times {
            let time = try check(seconds, "\(field).timestamp[\(index)]")
            guard time > last else { throw .timestampOrder(field: "\(field).timestamp", index: index) }
            last = time
            index += 1
        }
    }

    /// Throws unless `time` may stand in an entry of `field`.
    func check(_ time: ReadingTime, _ field: @autoclosure () -> String) throws(FrameError) {
        switch time {
        case .timestamp(let seconds): try check(seconds, "\(field()).timestamp")
        case .date(let seconds):
            // Without a wall clock of its own the gateway estimates it.
            if Self.wallClock.contains(instant.unix) { return try instant.checkDate(seconds, "\(field()).date") }
            guard Self.wallClock.contains(seconds) else {
                throw .timeOutOfRange(field: "\(field()).date", seconds: seconds)
            }
        }
    }
}

extension Double {
    /// Throws `notFinite` for NaN and infinities.
    func checkFinite(_ field: @autoclosure () -> String) throws(FrameError) {
        guard isFinite else { throw .notFinite(field: field()) }
    }
}
