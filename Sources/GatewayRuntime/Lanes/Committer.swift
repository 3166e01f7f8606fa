import GatewayPipeline
import Mosquitto
import Synchronization

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
    func takeOutcome() -> Result<Double, any Error>? {
        contents.withLock { contents in
            defer { contents.outcome = nil }
            return contents.outcome
        }
    }

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
                throw NotSettled(seconds: timeoutSeconds)
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
