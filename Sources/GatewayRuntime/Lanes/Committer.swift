package import GatewayPipeline
import Mosquitto
import Synchronization
import TelemetryModel

/// The commit thread of one lane: it waits until the broker has accepted what was published, then writes the states.
final class Committer: Sendable {
    /// One commit.
    struct Job: Sendable {
        /// What is written.
        let snapshot: CommitSnapshot
        /// The last message that the lane published before the snapshot was taken; nil for none.
        let ticket: PublishTicket?
        /// When it began.
        let at: GatewayTime
    }

    private struct Contents {
        var job: Job?
        var outcome: Result<Double, any Error>?
        var isEnded = false
    }

    private let client: MosquittoClient
    private let permit: Permit
    private let timeoutSeconds: Double
    private let lane: WakeUp
    private let pulse: ThreadPulse
    private let wakeUp = WakeUp()
    private let contents = Mutex(Contents())

    /// A committer for messages published through `client`, while `permit` permits it; `lane` is signalled after each commit, and `pulse` beats
    /// while the thread turns.
    init(
        client: MosquittoClient, permit: Permit, timeoutSeconds: Double, lane: WakeUp, pulse: ThreadPulse = ThreadPulse()
    ) {
        self.client = client
        self.permit = permit
        self.timeoutSeconds = timeoutSeconds
        self.lane = lane
        self.pulse = pulse
    }

    /// Starts the thread, which lasts until `end`.
    func start(name: String, niceness: Int32) throws {
        try NamedThread.start(name: name, niceness: niceness) { [self] in work() }
    }

    /// Hands over a commit; the one before it must have ended.
    func begin(_ job: Job) {
        contents.withLock { $0.job = job }
        wakeUp.signal()
    }

    /// The result of the commit with the seconds that writing took, returned once; nil while it runs.
    func takeOutcome() -> Result<Double, any Error>? { contents.withLock { exchange(&$0.outcome, with: nil) } }

    /// Ends the thread. A commit that still waits for the broker fails.
    func end() {
        contents.withLock { $0.isEnded = true }
        wakeUp.signal()
    }

    private func work() {
        defer { pulse.pause() }
        while true {
            pulse.beat()
            let (job, isEnded) = contents.withLock { ($0.job, $0.isEnded) }
            if let job {
                let outcome = Result {
                    try job.snapshot.commit(at: job.at, whileWaiting: pulse.beat) { try settle(job.ticket) }
                }
                contents.withLock { contents in
                    contents.job = nil
                    contents.outcome = outcome
                }
                lane.signal()
            } else if isEnded {
                return
            } else {
                wakeUp.wait(atMost: ThreadPulse.interval)
            }
        }
    }

    /// Waits until the broker has accepted everything up to `ticket`, and committing is permitted; throws when that is not in time.
    private func settle(_ ticket: PublishTicket?) throws {
        let deadline = MonotonicInstant.now + .seconds(timeoutSeconds)
        while !isAccepted(ticket) || !permit.isOpen {
            let left = deadline - .now
            let isOver = contents.withLock { $0.isEnded } || permit.passage == .lost
            if left <= .zero || isOver || ticket.map({ client.progress(of: $0) == .stopped }) ?? false {
                let passage = isAccepted(ticket) || permit.passage == .lost ? permit.passage : .open
                throw NotSettled(seconds: timeoutSeconds, passage: passage)
            }
            wakeUp.wait(atMost: min(left, permit.isOpen ? ThreadPulse.interval : Self.permitPause))
            pulse.beat()
        }
    }

    private func isAccepted(_ ticket: PublishTicket?) -> Bool {
        ticket.map { client.progress(of: $0, waking: wakeUp) == .accepted } ?? true
    }

    /// The interval at which the permit is looked at.
    private static var permitPause: Duration { .milliseconds(50) }
}

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
        if let store { try replica?.mark(changes, in: store, whileWaiting: whileWaiting) }
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
