package import TelemetryModel

/// When a session was, how it ended, and how much of it is known; what was counted in it is beside it.
package struct Session: Sendable, Equatable {
    /// What a session is doing.
    package enum State: String, Sendable, Codable, CaseIterable {
        /// The workout runs.
        case running
        /// The workout is paused.
        case paused
        /// It is over.
        case ended
    }

    /// Why a session has ended.
    package enum End: String, Sendable, Codable, CaseIterable {
        /// The workout ended.
        case workout
        /// It lasted for a day, or, where there is no workout, nothing was derived for a while.
        case silence
        /// The device started again.
        case reboot
        /// Another workout began without an end of this one.
        case restart
    }

    /// What it is doing.
    package var state: State
    /// HealthKit's name or raw value of the activity, as the device gave it; nil where it gave none.
    package var activity: String?
    /// When it began.
    package var start: DeviceTime
    /// When it ended; nil before.
    package var end: DeviceTime?
    /// Seconds from the start to the end, or to the instant of the message.
    package var elapsedTime: Double
    /// Seconds in which the workout ran.
    package var activeTime: Double
    /// Why it has ended; nil before.
    package var endedBy: End?
    /// The part of `elapsedTime` from which no data are missing, 0 to 1.
    package var coverage: Double
    /// How often data are missing.
    package var gaps: Int
    /// How often late data have changed it after it was published as ended.
    package var revision: Int
}
