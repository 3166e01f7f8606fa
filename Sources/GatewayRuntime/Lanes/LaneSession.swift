import GatewayPipeline
import Metrics
import Logging
import Mosquitto
import TelemetryModel

/// One lane on the thread of its session: messages that were read for it are processed at once, and committed by the lane's committer.
final class LaneSession {
    /// A commit that has begun, and what it covers.
    private struct Commit {
        var snapshot: CommitSnapshot
        var messages: Int
        var waiters: [(Bool) -> Void]
    }

    let lane: Lane
    let context: LaneContext
    private let committer: Committer
    var schedule: CommitSchedule
    /// The changes up to the end of the last batch that belong to no commit yet.
    private var next = CommitSnapshot()
    /// Whether a batch was processed after `next` was brought up to date.
    var isStale = false
    private var committing: Commit?
    /// Those who wait for the next commit; called with whether there was one.
    private var waiters: [(Bool) -> Void] = []
    /// Whether what was read cannot be committed: it has to be released.
    private(set) var isReleasing = false
    /// Whether frames were released, or dropped before they were processed, and none was acknowledged since: the broker still has them.
    private var owesFrames = false
    /// Why a commit, or the frames before it, failed for a reason other than the broker, and nothing was written since; nil where that is not so.
    private var commitProblem: String?
    /// The problems with the storage that were reported last.
    private var reportedProblem: String?
    private var hasConnected = false
    private var evictionDue: Double
    private var activityReportedAt = -Double.infinity
    /// The last report to the lane that derives connections, see `reportProgress`.
    private var isUpToDate = true
    /// When frames were read that are not acknowledged, and how many.
    private var unsettled: [(count: Int, at: Double)] = []
    private var settled = LaneSnapshot().settle
    private var written = LaneSnapshot().checkpoint
    /// Whether something was counted after the counts were published.
    private var hasCounted = true
    private var countsDue = -Double.infinity

    init(lane: Lane, context: LaneContext, committer: Committer) {
        self.lane = lane
        self.context = context
        self.committer = committer
        schedule = CommitSchedule(
            messages: lane.plan.checkpointFrames, seconds: lane.plan.checkpointSeconds,
            gatherSeconds: Double(lane.plan.gatherMilliseconds) / 1_000, window: lane.plan.unacknowledgedMessages)
        let now = context.clock.now.monotonic
        evictionDue = now + Self.evictionSeconds
        // What the start has published of the file is removed from it without waiting for a frame.
        if lane.hasSettled {
            isStale = true
            schedule.note(1, waits: false, at: now)
        }
    }

    /// The interval at which silent devices are evicted.
    private static let evictionSeconds = 10.0
    /// The shortest interval at which the lane that derives connections is woken, beside each commit.
    private static let activitySeconds = 0.25
    /// The interval at which the lane checks whether timers may fire again, while they are paused.
    private static let paceSeconds = 0.1
    /// The shortest interval at which the counts are copied out.
    private static let countsSeconds = 0.2
    /// The interval at which the permit is looked at, while it does not permit acknowledgements.
    private static let permitSeconds = 0.05
    /// How long a report of a history goes on before the lane reads again.
    private static let sliceSeconds = 0.01
    /// How long frames of a history may wait for its report: nothing is acknowledged meanwhile.
    private static let heldBackSeconds = 5.0
    /// Rounding must not cause a review just before a deadline.
    private static let resolution = 1e-3

    // MARK: Connection

    func connected(sessionPresent: Bool) {
        let now = context.clock.now
        let isLost = context.watch.connected(sessionPresent: sessionPresent, at: now.monotonic)
        if !hasConnected, sessionPresent { run(.resume, at: now) }
        if sessionPresent { run(.awaitRedelivery(extendsWaits: true), at: now) }
        hasConnected = true
        isReleasing = false
        guard isLost else { return }
        context.logger.warning(
            "the broker has lost the session: messages that devices sent meanwhile may be lost", metadata: context.metadata)
        run(.restoreRetained, at: now)
    }

    func disconnected() {
        isReleasing = false
        schedule.released()
        unsettled.removeAll(keepingCapacity: true)
        if lane.holdsBackSince != nil { owesFrames = true }
        lane.dropHeldBack()
        context.watch.disconnected()
        reportProgress(at: context.clock.now)
    }

    /// Records that something was read from the session, which reads nothing more until it is settled.
    func noteRead() { context.watch.received(at: context.clock.now.monotonic) }

    /// Records that the session may read again.
    func noteSettled() { context.watch.settled() }

    /// Whether a commit is under way.
    var isCommitting: Bool { committing != nil }

    /// Processes messages for the lane, out of `read` that were read together.
    func receive(_ frames: [Lane.Arrival], heartbeats: [MQTTMessage], of read: Int) {
        FaultPoint.acknowledged.reach()
        let now = context.clock.now
        let paused = context.watch.takePause(at: now.monotonic)
        if paused > 0 { run(.postponeWaits(paused), at: now) }
        // What the lane does not acknowledge in time the broker delivers again, behind newer frames.
        if context.watch.isBehind(at: now.monotonic) { run(.awaitRedelivery(extendsWaits: false), at: now) }
        // Not after the heartbeats: what is read together with the one that shows the end of a backlog was in the backlog too.
        let firesTimers = context.watch.firesTimers(at: now.monotonic)
        for heartbeat in heartbeats { _ = context.watch.takeHeartbeat(heartbeat, at: now.monotonic) }
        let count = frames.count + heartbeats.count
        schedule.note(count, of: read, waits: !frames.isEmpty, at: now.monotonic)
        guard count > 0 else { return }
        if !frames.isEmpty {
            unsettled.append((frames.count, now.monotonic))
            hasCounted = true
        }
        do {
            try lane.process(frames, at: now, firesTimers: firesTimers)
        } catch {
            return release(because: error, at: now)
        }
        isStale = true
        if now.monotonic - activityReportedAt >= Self.activitySeconds { reportActivity(at: now) }
        FaultPoint.uncommitted.reach()
        if committing != nil { FaultPoint.ahead.reach() }
    }

    /// Whether a message is a heartbeat of the lane.
    func isHeartbeat(_ message: MQTTMessage) -> Bool { context.watch.isHeartbeat(message) }

    /// Goes on with what is under way or due, besides the next commit.
    func advance(isStopping: Bool) {
        let now = context.clock.now
        finishCommit(at: now)
        answerRequests(at: now)
        let slice = slice()
        runTimers(at: now, while: slice)
        advanceHeldBack(at: now, isStopping: isStopping, while: slice)
        reportProgress(at: now)
    }

    /// When the next commit is due, on the monotonic clock; nil while nothing waits for one.
    var commitDue: Double? { schedule.deadline }

    /// Begins a commit of what waits for one, if it is `due` by now or the gateway stops.
    func commit(by due: Double, isStopping: Bool) {
        let now = context.clock.now
        guard committing == nil, schedule.count > 0, isStopping || due <= now.monotonic else { return }
        beginCommit(at: now)
    }

    /// Whether everything that was read is committed and may be acknowledged, as far as this lane is concerned.
    var isCommitted: Bool {
        committing == nil && schedule.count == 0 && lane.holdsBackSince == nil && context.permit.isOpen && !isReleasing
    }

    /// Records that everything that was read is acknowledged.
    func acknowledged() {
        let now = context.clock.now
        schedule.acknowledged(at: now.monotonic)
        guard !unsettled.isEmpty else { return }
        owesFrames = false
        hasCounted = true
        for batch in unsettled { settled.observe(now.monotonic - batch.at, count: batch.count) }
        unsettled.removeAll(keepingCapacity: true)
    }

    /// Whether more may be read, when the lane has to be looked at next, and from when on the session may gather: nil for at once.
    func outlook() -> (mayRead: Bool, reviewAt: MonotonicInstant?, gathersFrom: MonotonicInstant?) {
        let now = context.clock.now
        publishCounts(at: now)
        let mayRead = committing == nil || lane.holdsBackSince != nil || schedule.mayReadAhead
        let wait = schedule.gathersFrom - now.monotonic
        return (mayRead, nextReview(at: now), wait > 0 ? MonotonicInstant.now + wait : nil)
    }

    // MARK: Commits

    /// Adds the changes so far to the next snapshot: later changes belong to the one after it.
    ///
    /// A snapshot must not hold a frame whose messages are not covered by its ticket. After a kill the frame would be on disk and
    /// its messages not at the broker; delivered again, it would count as repeated, and they would be lost.
    private func seal(at now: GatewayTime) {
        guard isStale else { return }
        isStale = false
        do { try lane.take(into: &next) } catch { release(because: error, at: now) }
    }

    /// Has `body` called with the end of a commit of what has changed up to now.
    func afterCommit(at now: GatewayTime, _ body: @escaping (Bool) -> Void) {
        waiters.append(body)
        isStale = true
        schedule.note(1, waits: false, at: now.monotonic)
    }

    private func beginCommit(at now: GatewayTime) {
        seal(at: now)
        guard !isReleasing else { return }
        reportActivity(at: now)
        let commit = Commit(snapshot: next, messages: schedule.count, waiters: waiters)
        waiters = []
        let ticket = context.egress.lastTicket
        next = CommitSnapshot()
        schedule.begun(at: now.monotonic)
        committing = commit
        let isSettled = ticket.map { context.egress.client.progress(of: $0) == .accepted } ?? true
        if commit.snapshot.isEmpty, isSettled { return end(commit, .success(nil), at: now) }
        committer.begin(.init(snapshot: commit.snapshot, ticket: ticket, at: now))
    }

    private func finishCommit(at now: GatewayTime) {
        guard let commit = committing, let outcome = committer.takeOutcome() else { return }
        end(commit, outcome.map(Optional.init), at: now)
    }

    /// Ends a commit that took so many seconds to write; nil where nothing had to be written.
    private func end(_ commit: Commit, _ outcome: Result<Double?, any Error>, at now: GatewayTime) {
        committing = nil
        switch outcome {
        case .success(let seconds):
            if let seconds, lane.isDurable {
                written.observe(seconds)
                hasCounted = true
            }
            lane.noteCommitted(commit.snapshot, isLast: next.isEmpty, at: now)
            for waiter in commit.waiters { waiter(true) }
            context.watch.committed()
            // A commit of nothing does not show that the disk can be used.
            if !commit.snapshot.isEmpty { commitProblem = nil }
            reportStorage()
        case .failure(let error):
            lane.noteFailed(commit.snapshot)
            waiters += commit.waiters
            release(because: error, at: now, messages: commit.messages)
        }
    }

    /// Releases every message that is not acknowledged. The changed states are committed with the next snapshot.
    private func release(because error: any Error, at now: GatewayTime, messages: Int = 0) {
        context.logger.error(
            "frames released unacknowledged, the broker will deliver them again",
            metadata: context.metadata.merging(["messages": "\(messages + schedule.count)", "reason": "\(error)"]) { $1 })
        isStale = true
        schedule.begun(at: now.monotonic)
        schedule.released()
        unsettled.removeAll(keepingCapacity: true)
        lane.dropHeldBack()
        (isReleasing, owesFrames) = (true, true)
        context.watch.released(at: now.monotonic)
        if !(error is NotSettled) { commitProblem = "\(error)" }
        context.report(.released)
        reportStorage()
    }

    /// Reports the problems with the storage where they differ from those that were reported last. Each ends with the next success of its kind.
    private func reportStorage() {
        let problems = [commitProblem].compactMap(\.self) + lane.storageProblems
        let problem = problems.isEmpty ? nil : problems.joined(separator: "; ")
        guard problem != reportedProblem else { return }
        reportedProblem = problem
        context.report(.storage(problem: problem))
    }

    // MARK: Time and other threads

    /// Whether a review has time for another step of a report; the time counts from the first.
    private func slice() -> () -> Bool {
        var end = Double.infinity
        return { [clock = context.clock] in
            let now = clock.now.monotonic
            if end == .infinity { end = now + Self.sliceSeconds }
            return now < end
        }
    }

    /// Goes on with the reports that frames wait for. Acknowledgements wait with them, in one queue: the reports are put off before the
    /// broker's window is full.
    private func advanceHeldBack(at now: GatewayTime, isStopping: Bool, while mayGoOn: @escaping () -> Bool) {
        guard let since = lane.holdsBackSince else { return }
        seal(at: now)
        do {
            let processed = try lane.advanceHeldBack(
                at: now, givesWay: isStopping || schedule.isFull || now.monotonic - since >= Self.heldBackSeconds,
                firesTimers: context.watch.firesTimers(at: now.monotonic), while: mayGoOn)
            guard processed > 0 else { return }
            schedule.noteProcessed(processed, at: now.monotonic)
            isStale = true
            hasCounted = true
        } catch {
            release(because: error, at: now)
        }
    }

    private func runTimers(at now: GatewayTime, while mayGoOn: @escaping () -> Bool) {
        let pace = context.watch.pace(at: now.monotonic)
        if pace.unreadSeconds > 0 { run(.postponeWaits(pace.unreadSeconds), at: now) }
        if let due = lane.nextDeadline, due <= now.monotonic {
            context.watch.beginTick(at: now.monotonic)
            run(.tick(pace), at: now, while: mayGoOn)
            context.watch.endTick(at: context.clock.now.monotonic)
            lane.publishCommitted(at: now)
        }
        guard lane.isDurable, now.monotonic >= evictionDue else { return }
        // A snapshot that is not written yet holds states that are not on disk.
        guard committing == nil, next.isEmpty else { return evictionDue = now.monotonic + Self.paceSeconds }
        evictionDue = now.monotonic + Self.evictionSeconds
        context.report(.clock(lane.clockWarning(at: now)))
        run(.evict(now.monotonic - context.idleStateSeconds), at: now)
    }

    private func reportActivity(at now: GatewayTime) {
        activityReportedAt = now.monotonic
        context.lanes.report(lane.takeActivities())
    }

    /// Reports a change to the lane that derives connections: this lane is up to date while it is connected and no frame may come late.
    private func reportProgress(at now: GatewayTime) {
        guard !lane.plan.judgesConnections else { return }
        let isUpToDate = context.watch.isUpToDate(at: now.monotonic) && !lane.awaitsRedelivery(at: now)
        guard isUpToDate != self.isUpToDate else { return }
        self.isUpToDate = isUpToDate
        if isUpToDate { reportActivity(at: now) }
        context.lanes.note(lane.plan.name, isUpToDate: isUpToDate)
    }

    /// The lane's counts.
    private var snapshot: LaneSnapshot {
        var snapshot = lane.snapshot
        snapshot.settle = settled
        snapshot.checkpoint = written
        return snapshot
    }

    private func publishCounts(at now: GatewayTime) {
        guard hasCounted, now.monotonic >= countsDue else { return }
        hasCounted = false
        countsDue = now.monotonic + Self.countsSeconds
        context.mailbox.publish(snapshot)
    }

    func run(
        _ command: PipelineCommand, at now: GatewayTime, while mayGoOn: @escaping () -> Bool = { true }
    ) {
        hasCounted = true
        seal(at: now)
        do {
            try lane.run(command, at: now, while: mayGoOn)
        } catch {
            context.logger.error(
                "what is stored cannot be used", metadata: context.metadata.merging(["reason": "\(error)"]) { $1 })
        }
        reportStorage()
    }

    private func nextReview(at now: GatewayTime) -> MonotonicInstant? {
        var due = committing == nil ? schedule.deadline : nil
        if let next = lane.nextDeadline {
            due = min(
                due ?? .infinity, max(next, now.monotonic + (next <= now.monotonic ? Self.paceSeconds : 0)) + Self.resolution)
        }
        // The lane reads what has come, and goes on at once.
        if lane.leavesReport || lane.holdsBackSince != nil { due = now.monotonic }
        if lane.isDurable { due = min(due ?? .infinity, evictionDue) }
        if hasCounted { due = min(due ?? .infinity, countsDue + Self.resolution) }
        if !context.permit.isOpen { due = min(due ?? .infinity, now.monotonic + Self.permitSeconds) }
        return due.map { .now + ($0 - now.monotonic) }
    }

    // MARK: The end

    /// Begins the last commit, once the one under way has ended. Waiting messages are stored with the states; without storage they are
    /// processed now.
    func beginEnd(by deadline: MonotonicInstant) {
        awaitCommit(until: deadline)
        let now = context.clock.now
        if !lane.isDurable { run(.drain, at: now) }
        run(context.handover.isRequested ? .handOver : .end, at: now)
        isStale = true
        if committing == nil { beginCommit(at: now) }
    }

    /// Ends once the last commit has, or at `deadline`.
    func end(by deadline: MonotonicInstant) {
        awaitCommit(until: deadline)
        if committing != nil {
            context.logger.error("the last commit did not end in time", metadata: context.metadata)
            context.watch.released(at: context.clock.now.monotonic)
        }
        if committing == nil, next.isEmpty, !isStale, !owesFrames { context.handover.noteCommitted(lane.plan.name) }
        committer.end()
        for waiter in waiters + (committing?.waiters ?? []) { waiter(false) }
        context.mailbox.close(snapshot)
    }

    /// The thread sleeps on one wake-up for all of its lanes: another's wait may have taken the signal.
    private func awaitCommit(until deadline: MonotonicInstant) {
        finishCommit(at: context.clock.now)
        while committing != nil, MonotonicInstant.now < deadline {
            context.wakeUp.wait(atMost: deadline - .now)
            finishCommit(at: context.clock.now)
        }
    }
}
