package import GatewayPipeline
import TelemetryModel

/// What one commit writes: the states of a lane as they were after the last frame of a batch.
package struct CommitSnapshot: Sendable {
    /// What has changed, in the order of the changes.
    var changes: [StateChange] = []
    /// The messages that are written in place of states.
    var journal: [JournalRow] = []
    /// The first row of the journal that is needed.
    var firstJournalRow: UInt64 = 0
    /// Rows of the file of which everything was published.
    var settled = SettledRows()
    /// Poison candidates that were processed or set aside.
    var handledCandidates: [Quarantine.PoisonCandidate] = []
    /// Where it is written; nil where states are not stored.
    var store: CheckpointStore?
    /// The copy of that elsewhere; nil for none.
    var replica: LaneReplica?
    var quarantine: Quarantine?
    #if DEBUG
        /// The whole states of the devices that have changed, to be compared with what is on disk afterwards.
        var states: [DeviceID: DeviceState?] = [:]
        /// Makes what processes the messages of the journal again.
        var replay: (@Sendable () -> JournalReplay)?
    #endif

    /// A snapshot of nothing.
    package init() {}

    /// Whether there is nothing to write.
    var isEmpty: Bool { changes.isEmpty && settled.isEmpty && handledCandidates.isEmpty }

    /// Commits the snapshot once `settle` has confirmed that the broker accepted everything published up to it. Blocks, and calls
    /// `whileWaiting` several times a second while another server is waited for.
    ///
    /// Afterwards whatever was processed before the snapshot may be acknowledged. On an error nothing may be: nothing is written, or not
    /// everything that is written is in the copy. Returns the seconds that writing took.
    @discardableResult
    package func commit(
        at now: GatewayTime, whileWaiting: () -> Void = {}, settle: () throws -> Void
    ) throws -> Double {
        FaultPoint.processed.reach()
        try settle()
        FaultPoint.settled.reach()
        var watch = Stopwatch()
        try store?.write(
            changes, journal: journal, from: firstJournalRow, settled: settled, isCounted: replica != nil, at: now)
        if let store {
            let devices = Set(changes.map(\.device)).union(settled.debts.map(\.device))
            try replica?.write(devices, in: store, whileWaiting: whileWaiting)
        }
        let seconds = watch.lap()
        #if DEBUG
            if let replay { try store?.verify(states, replay) }
        #endif
        FaultPoint.committed.reach()
        if !handledCandidates.isEmpty { try quarantine?.remove(handledCandidates) }
        return seconds
    }
}
