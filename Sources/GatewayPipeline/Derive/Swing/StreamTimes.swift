/// The newest device time known when data of each stream came last, in seconds: what waits count from.
struct StreamTimes: Sendable, Equatable, Codable {
    /// The newest time of any sample.
    private(set) var newest = -Double.greatestFiniteMagnitude
    /// What `newest` was with the last accelerometer samples.
    private(set) var accelerometer = -Double.greatestFiniteMagnitude
    /// What `newest` was with the last device motion.
    private(set) var motion = -Double.greatestFiniteMagnitude

    /// Notes a frame by the last sample time of each half; nil for a half without samples.
    mutating func note(accelerometer lastAcceleration: Double?, motion lastMotion: Double?) {
        newest = max(newest, lastAcceleration ?? newest, lastMotion ?? newest)
        if lastAcceleration != nil { accelerometer = newest }
        if lastMotion != nil { motion = newest }
    }
}
