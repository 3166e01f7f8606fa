/// How histories are kept, and messages for the query `events`.
package struct HistorySettings: Sendable, Equatable {
    /// Whether they are kept at all; without a state directory they are not.
    package var isStored = true
    /// How old a sample may be when its frame is sent, in hours; older ones are discarded. After as long a missing frame is given up.
    package var windowHours = 36.0
    /// How many days are kept.
    package var days = 7
    /// The least time between two derivations of one device's history, in s.
    package var reportSeconds = 900.0

    /// The defaults.
    package init() {}

    /// The window in seconds.
    var windowSeconds: Double { windowHours * 3_600 }
}
