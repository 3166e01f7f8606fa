/// The newest device time when data of each stream arrived last, in seconds; waits count from it.
struct StreamTimes: Sendable, Equatable, Codable {
    /// The newest time of any sample.
    private(set) var newest = -Double.greatestFiniteMagnitude
    /// The value of `newest` at the last accelerometer samples.
    private(set) var accelerometer = -Double.greatestFiniteMagnitude
    /// The value of `newest` at the last device motion.
    private(set) var motion = -Double.greatestFiniteMagnitude

    /// Records a frame by the last sample time of each half; nil for a half without samples.
    mutating func note(accelerometer lastAcceleration: Double?, motion lastMotion: Double?) {
        newest = max(newest, lastAcceleration ?? newest, lastMotion ?? newest)
        if lastAcceleration != nil { accelerometer = newest }
        if lastMotion != nil { motion = newest }
    }
}
