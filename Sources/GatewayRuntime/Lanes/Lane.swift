import GatewayConfiguration
package import GatewayPipeline
package import Logging
import Metrics
import Mosquitto
import Synchronization
import TelemetryModel

/// The devices of one lane: takes batches through quarantine, admission and pipeline, and publishes what is derived.
///
/// It is confined to one thread. The messages of a call are passed to egress once, in the order of processing.
package final class Lane {
    /// What the lane carries.
    package let plan: LanePlan
    private let admission: Admission
    private var door: LaneDoor
    private var pipeline: Pipeline
    private let settings: PipelineSettings
    private let egress: any OutboundSink
    let store: CheckpointStore?
    private let replica: LaneReplica?
    private let journals: Bool
    private let quarantine: Quarantine?
    private let tracer: FrameTracer?
    private var rejections: RejectionLog?
    private let reportKinds: (@Sendable ([KindReport]) -> Void)?
    private var committed = CommittedReports()
    private var outgoing: [OutboundMessage] = []
    /// How long each frame was processed.
    private var processed = LaneSnapshot().process
    private let history: LaneHistory?
    /// Frames of histories that were read and wait, unprocessed, until what is due of their histories is derived.
    private var heldBack: [KnownMessage] = []
    /// When the first of them was read, on the monotonic clock.
    private var heldBackSince = 0.0
    /// Devices whose state on disk could not be read when a command concerned them.
    private var unreadable: Set<DeviceID> = []
    /// Why that of the latest could not.
    private var unreadableReason = ""
    /// Why old rows could not be deleted the last time; nil where they could.
    private var pruningProblem: String?
    /// The rows of the file that were published and are in no commit yet.
    private var settled = SettledRows()
    /// The damaged rows that were published and are not known to be committed.
    private var reportedRows: Set<Int64> = []

    /// A lane without any state yet; `storage` keeps its states over restarts; nil for none. `logger` logs rejected messages.
    /// `reportKinds` is called on the lane's thread and must not block. Without `journals` every checkpoint writes states, never the
    /// messages that lead to them.
    package init(
        plan: LanePlan, settings: PipelineSettings, policy: AccessPolicy, admission: Admission, egress: any OutboundSink,
        storage: LaneStorage? = nil, journals: Bool = true, reportKinds: (@Sendable ([KindReport]) -> Void)? = nil,
        logger: Logger? = nil
    ) {
        self.reportKinds = reportKinds
        self.plan = plan
        self.admission = admission
        door = LaneDoor(admission, for: plan.share, settings: settings)
        self.egress = egress
        store = storage?.store
        replica = storage?.replica
        // The copy elsewhere holds states only.
        self.journals = journals && replica == nil
        quarantine = storage?.quarantine
        tracer = storage?.tracer
        rejections = logger.map { RejectionLog(logger: $0, metadata: ["lane": "\(plan.name.rawValue)"]) }
        var settings = settings
        settings.waitingBytes = plan.waitingBytes
        settings.reportsKinds = reportKinds != nil
        self.settings = settings
        history = storage.map { LaneHistory(store: $0.store) }
        pipeline = Pipeline(settings: settings, policy: policy, streams: plan.share.streams, history: history)
    }

    /// What is called from time to time while a history is read, on the lane's thread.
    var whileReading: () -> Void {
        get { history?.whileReading ?? {} }
        set { history?.whileReading = newValue }
    }

    /// Whether states are stored.
    var isDurable: Bool { store != nil }

    /// Whether the next commit is the one that notes what the start has published of the file.
    var hasSettled: Bool { !settled.isEmpty }

    /// What of the storage fails beside commits, each until it succeeds again: each eviction tries states and deletions again, and each report
    /// of a history its reading.
    var storageProblems: [String] {
        let states = unreadable.contains { pipeline.isAbsent($0) } ? "states of devices cannot be read: \(unreadableReason)" : nil
        return [states, pruningProblem, history?.problem].compactMap(\.self)
    }

    /// The lane's counts.
    package var snapshot: LaneSnapshot {
        var snapshot = LaneSnapshot()
        snapshot.counters = pipeline.counters
        snapshot.activeDevices = pipeline.deviceCount
        snapshot.held = pipeline.waitingCount
        snapshot.notAdmitted = door.check.rejected
        snapshot.fleet = pipeline.fleet
        snapshot.costliest = pipeline.costliest
        snapshot.process = processed
        return snapshot
    }

    /// A message and what its topic says; nil where that is not read yet.
    package typealias Arrival = (message: InboundMessage, address: TopicAddress?)

    /// What a topic says.
    func address(of topic: String) -> TopicAddress { door.check.address(of: topic) }

    /// Takes messages; throws when a frame cannot be set aside, or a state cannot be read.
    ///
    /// Devices take turns, so that one with many messages does not hold up others: each device's are processed in order, and what is derived
    /// is published whenever a device has none left.
    ///
    /// Without `firesTimers` timers are paused, see `Pipeline.process`.
    package func process(_ batch: [Arrival], at now: GatewayTime, firesTimers: Bool) throws {
        defer { publish(at: now) }
        lookAtClock(at: now)
        var kept = batch
        if let quarantine, quarantine.hasCandidates {
            kept = try batch.filter { try !quarantine.withholds($0.message, at: now) }
            pipeline.noteSetAside(batch.count - kept.count)
        }
        let admitted = door.admit(kept, at: now, into: &outgoing)
        let rounds = settings.budget.unitsPerSecond > 0 ? FairRounds(admitted, by: \.device).rounds : [admitted]
        for round in rounds {
            try process(round, at: now, firesTimers: firesTimers)
            publish(at: now)
        }
        try reportDamage(at: now)
    }

    private func process(_ messages: [KnownMessage], at now: GatewayTime, firesTimers: Bool) throws {
        var watch = Stopwatch()
        for message in messages {
            for device in pipeline.devicesToRestore(for: message.device, at: now) { try load(device, at: now) }
            if pipeline.awaitsReport(message, at: now) {
                if heldBack.isEmpty { heldBackSince = now.monotonic }
                heldBack.append(message)
                continue
            }
            if let tracer {
                outgoing += tracer.trace(message.message) { pipeline.process(message, at: now, firesTimers: firesTimers) }
            } else {
                outgoing += pipeline.process(message, at: now, firesTimers: firesTimers)
            }
            processed.observe(watch.lap())
            if let failure = pipeline.takeHistoryFailure() { throw failure }
        }
    }

    /// Runs a command for all devices. States that cannot be read do not stop the command for others: the error is thrown at the
    /// end. A tick goes on with reports of histories while `mayGoOn` is true.
    package func run(
        _ command: PipelineCommand, at now: GatewayTime, while mayGoOn: @escaping () -> Bool = { true }
    ) throws {
        defer { publish(at: now) }
        lookAtClock(at: now)
        var failure: (any Error)?
        switch command {
        case .begin(let changesOwner):
            outgoing += pipeline.begin(at: now, changesOwner: changesOwner, holdsStates: store?.isNew == false)
        case .resume: outgoing += pipeline.resume(at: now, holdsStates: store?.isNew == false)
        case .tick(let pace):
            outgoing += pipeline.tick(at: now, expiring: pace.expiring, firesTimers: pace.firesTimers, while: mayGoOn)
        case .awaitRedelivery(let extends): outgoing += pipeline.awaitRedelivery(at: now, extendsWaits: extends)
        case .postponeWaits(let seconds): pipeline.postponeWaits(by: seconds, at: now)
        case .replace(let policy):
            failure = load(pipeline.absentDevices(changedBy: policy), at: now)
            outgoing += pipeline.replace(policy: policy, at: now)
            // It may have revoked a permission.
            tracer?.clear()
        case .recordActivity(let activities):
            failure = load(activities.map(\.device), at: now)
            outgoing += pipeline.recordActivities(activities, at: now)
        case .awaitActivity(let awaits): pipeline.awaitActivity(awaits, at: now)
        case .restoreRetained:
            committed.repeatAll()
            failure = load(pipeline.absentDevices, at: now)
            outgoing += pipeline.restoreRetained(at: now)
        case .evict(let monotonic):
            failure = load(unreadable, at: now)
            _ = pipeline.evict(notActiveSince: monotonic)
            do {
                let policy = admission.policy
                try store?.pruneHistory(at: now) { policy.policy(for: $0) != nil || !policy.owns($0) }
                pruningProblem = nil
            } catch {
                pruningProblem = "old rows cannot be deleted: \(error)"
                failure = error
            }
        case .setAside(let damage): try store?.setAside(damage)
        case .drain: outgoing += pipeline.drain(at: now)
        case .end:
            outgoing += pipeline.end(at: now)
            pipeline.writeEverything()
        case .handOver:
            outgoing += pipeline.end(at: now, changesOwner: true)
            pipeline.writeEverything()
        }
        try reportDamage(at: now)
        if let failure = failure ?? pipeline.takeHistoryFailure() { throw failure }
    }

    /// Erases everything that is stored of `device`, with the next commit, and clears its retained topics. Throws when its state cannot be
    /// read.
    func erase(_ device: DeviceID, at now: GatewayTime) throws {
        defer { publish(at: now) }
        try load(device, at: now)
        heldBack.removeAll { $0.device == device }
        outgoing += pipeline.erase(device, at: now)
        tracer?.clear()
        try quarantine?.erase { door.check.device(of: $0) == device }
    }

    /// Acknowledges an alarm of `device`; returns it as the next commit has it. Nil where none with that level is raised here. Throws when the
    /// device's state cannot be read.
    func acknowledge(
        _ acknowledgement: AlarmAcknowledgement, of device: DeviceID, at now: GatewayTime
    ) throws -> Alarm? {
        defer { publish(at: now) }
        try load(device, at: now)
        guard let (alarm, messages) = pipeline.acknowledge(acknowledgement, of: device, at: now) else { return nil }
        outgoing += messages
        return alarm
    }

    /// The last message of each kind of `device`, as far as its state is in memory.
    func messages(of device: DeviceID) -> [StoredMessage] { pipeline.state(of: device)?.messages ?? [] }

    /// Whether the broker may still deliver frames again behind newer ones.
    func awaitsRedelivery(at now: GatewayTime) -> Bool { pipeline.awaitsRedelivery(at: now) }

    /// When the first of the messages that wait for an earlier frame arrived, on the monotonic clock; nil when none does.
    var incompleteSince: Double? { pipeline.incompleteSince }

    /// When something is next due, on the monotonic clock: a wait, a timer, or a report of what is committed.
    var nextDeadline: Double? {
        pipeline.nextDeadline().least(committed.nextDue)
    }

    /// The activity since the last call, for the lane that derives connections.
    func takeActivities() -> [DeviceActivity] { pipeline.takeActivities() }

    /// What is to be known of the gateway's wall clock; nil for nothing.
    func clockWarning(at now: GatewayTime) -> String? { store?.clock.observe(now).warning }

    private func lookAtClock(at now: GatewayTime) {
        if let store { pipeline.clockLead = store.clock.observe(now).lead }
    }

    private func publish(at now: GatewayTime) {
        if let reportKinds {
            let reports = pipeline.takeKindReports()
            if !reports.isEmpty { reportKinds(reports) }
        }
        guard !outgoing.isEmpty else { return }
        rejections?.note(outgoing, at: now.monotonic)
        egress.publish(outgoing)
        outgoing.removeAll(keepingCapacity: true)
    }

    private func load(_ devices: some Sequence<DeviceID>, at now: GatewayTime) -> (any Error)? {
        var failure: (any Error)?
        for device in devices {
            do { try load(device, at: now) } catch {
                unreadable.insert(device)
                unreadableReason = "\(error)"
                failure = error
            }
        }
        return failure
    }

    /// Restores the state of a device whose state is on disk only.
    private func load(_ device: DeviceID, at now: GatewayTime) throws {
        guard let store, pipeline.isAbsent(device) else { return }
        if let state = try store.load(device) {
            outgoing += pipeline.restore(state, of: device, at: now)
        } else {
            pipeline.removeAbsent(device)
        }
        unreadable.remove(device)
    }
}

extension Lane {
    /// Since when frames wait for a report, on the monotonic clock; nil where none does. They are not processed, so nothing may be
    /// acknowledged.
    var holdsBackSince: Double? { heldBack.isEmpty ? nil : heldBackSince }

    /// Whether a report has more to do at once: the last call ended because it had no time.
    var leavesReport: Bool { pipeline.leavesReport }

    /// Goes on with the reports that frames wait for, and then processes these frames, while `mayGoOn` is true; returns how many frames.
    /// With `givesWay` the reports are put off until no more frames come.
    func advanceHeldBack(
        at now: GatewayTime, givesWay: Bool, firesTimers: Bool, while mayGoOn: @escaping () -> Bool
    ) throws -> Int {
        defer { publish(at: now) }
        if givesWay {
            for device in Set(heldBack.map(\.device)) { pipeline.putOffReport(of: device, at: now) }
        } else if let first = heldBack.first {
            outgoing += pipeline.advanceReport(of: first.device, at: now, while: mayGoOn)
            if let failure = pipeline.takeHistoryFailure() { throw failure }
        }
        let held = exchange(&heldBack, with: [])
        var (processed, hasTime) = (0, true)
        for message in held {
            guard hasTime, !pipeline.awaitsReport(message, at: now) else {
                heldBack.append(message)
                continue
            }
            // The policy may have changed since.
            try process(door.admit([(message.message, nil)], at: now, into: &outgoing), at: now, firesTimers: firesTimers)
            processed += 1
            hasTime = mayGoOn()
        }
        return processed
    }

    /// Drops the frames that wait: the broker delivers them again.
    func dropHeldBack() {
        if !heldBack.isEmpty { _ = quarantine?.takeHandled() }
        heldBack = []
    }

    /// Restores the states that the gateway's previous run has committed; returns the number of devices.
    package func restore(at now: GatewayTime) throws -> Int {
        guard let store else { return 0 }
        try store.replayJournal(
            by: JournalReplay(settings: settings, policy: pipeline.policy, share: plan.share)
        ) { [quarantine, tracer] message, process in
            guard try quarantine?.withholds(message, at: now) != true else { return [] }
            return tracer?.trace(message, process) ?? process()
        }
        let stored = try store.load()
        if journals { pipeline.beginJournal(after: try store.lastCheckpoint()) }
        // Before anything newer of the same topics.
        let debts = try store.debts().filter { pipeline.policy.owns($0.message.device) }
        outgoing += pipeline.messages(owed: debts.map(\.message))
        settled.debts += debts.map { ($0.number, $0.message.device) }
        // Those of other partitions stay on disk, and nothing is published of them.
        let owned = stored.filter { pipeline.policy.owns($0.device) }
        for stored in owned { outgoing += pipeline.restore(stored.state, of: stored.device, at: now) }
        pipeline.doubtRestored()
        store.hasUnreported.store(true, ordering: .relaxed)
        try reportDamage(at: now)
        try replica?.synchronize(with: store)
        publish(at: now)
        return owned.count
    }

    /// Waits until the copy of the states elsewhere has those of all lanes: before that nothing may be acknowledged.
    func awaitReplica() throws { try replica?.replica.awaitWhole() }

    /// Adds to `snapshot` what has changed since the last call; throws when a state cannot be encoded.
    package func take(into snapshot: inout CommitSnapshot) throws {
        guard let store else { return pipeline.discardChanges() }
        let changes = try pipeline.takeChanges()
        snapshot.store = store
        snapshot.replica = replica
        snapshot.changes += changes
        if let row = pipeline.takeJournalRow() { snapshot.journal.append(row) }
        snapshot.firstJournalRow = pipeline.firstJournalRow
        snapshot.settled += settled
        settled = SettledRows()
        #if DEBUG
            for change in changes {
                snapshot.states.updateValue(pipeline.state(of: change.device), forKey: change.device)
            }
            snapshot.replay = { [settings, plan, policy = pipeline.policy] in
                JournalReplay(settings: settings, policy: policy, share: plan.share)
            }
        #endif
        if let quarantine {
            snapshot.quarantine = quarantine
            // One that waits for a report may still end the process.
            if heldBack.isEmpty { snapshot.handledCandidates += quarantine.takeHandled() }
        }
    }

    /// Records that `snapshot` is committed, and publishes `committed` messages. `isLast` when no other snapshot has been taken
    /// meanwhile.
    package func noteCommitted(_ snapshot: CommitSnapshot, isLast: Bool = true, at now: GatewayTime) {
        if isLast { pipeline.noteWritten() }
        reportedRows.subtract(snapshot.settled.damaged)
        pipeline.noteHistoryWritten(snapshot.changes)
        for change in snapshot.changes { committed.note(change.committed, of: change.device) }
        publishCommitted(at: now)
    }

    /// Records that `snapshot` could not be committed.
    package func noteFailed(_ snapshot: CommitSnapshot) {
        pipeline.putBack(snapshot.changes)
        settled += snapshot.settled
        quarantine?.putBack(snapshot.handledCandidates)
    }

    /// Publishes gaps of the rows that were set aside since the last call. A row that another partition's device has is reported by the gateway
    /// that owns it, if any.
    private func reportDamage(at now: GatewayTime) throws {
        guard let store, store.hasUnreported.load(ordering: .relaxed) else { return }
        let rows = try store.unreportedRows().filter { pipeline.policy.owns($0.device) && !reportedRows.contains($0.number) }
        for device in Set(rows.map(\.device)) { try load(device, at: now) }
        store.hasUnreported.store(false, ordering: .relaxed)
        outgoing += pipeline.report(rows, at: now)
        reportedRows.formUnion(rows.map(\.number))
        settled.damaged += rows.map(\.number)
        publish(at: now)
    }

    /// Publishes the `committed` messages that are due.
    func publishCommitted(at now: GatewayTime) {
        outgoing += committed.due(at: now.monotonic)
        publish(at: now)
    }
}
