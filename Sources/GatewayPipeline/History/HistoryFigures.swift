/// What is stored of histories, for the status.
package struct HistoryFigures: Sendable, Equatable {
    /// How much room samples take, in MB.
    package var megabytes = 0
    /// Days that were discarded to make room.
    package var discardedDays = 0
    /// Histories that were erased because permission was withdrawn, the device was removed from the registry, or an operator asked for it.
    package var erased = 0

    /// Nothing stored.
    package init() {}
}
