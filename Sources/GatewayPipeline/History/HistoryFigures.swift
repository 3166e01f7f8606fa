import TelemetryModel

/// What was deleted of a history.
package struct HistoryDeletion: Sendable, Equatable {
    /// Minutes of samples that were older than is kept.
    package var expiredMinutes = 0
    /// Messages for the query `events` that were older than is kept.
    package var expiredEvents = 0
    /// Minutes of samples that were deleted to make room.
    package var discardedMinutes = 0
    /// Messages for the query `events` that were deleted to make room.
    package var discardedEvents = 0
    /// Days, by device, of which the last minute was deleted to make room.
    package var discardedDays = 0

    /// Nothing.
    package init() {}

    /// Whether something was deleted to make room.
    package var isDiscarded: Bool { discardedMinutes > 0 || discardedEvents > 0 }

    /// Adds what was deleted of another history.
    package mutating func add(_ other: HistoryDeletion) {
        expiredMinutes.addSaturated(other.expiredMinutes)
        expiredEvents.addSaturated(other.expiredEvents)
        discardedMinutes.addSaturated(other.discardedMinutes)
        discardedEvents.addSaturated(other.discardedEvents)
        discardedDays.addSaturated(other.discardedDays)
    }
}

/// What is stored of histories, for the status.
package struct HistoryFigures: Sendable, Equatable {
    /// How much room samples and messages for the query `events` take, in MB.
    package var megabytes = 0
    /// What was deleted by age or to make room.
    package var deleted = HistoryDeletion()
    /// Histories that were erased because permission was withdrawn, the device was removed from the registry, or an operator asked for it.
    package var erased = 0

    /// Nothing stored.
    package init() {}
}
