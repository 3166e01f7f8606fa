package import TelemetryModel

/// Decode, normalize, check, derive, publish: one call per message, pure and synchronous.
///
/// It owns the state of the devices, for the streams that are its own. Every pipeline processes every message of the streams that
/// concern all others (`status`, `workout`, `command`); only their owner publishes what is derived from them. Clocks come in as
/// arguments, messages go out as results, so the live gateway, a replay and the tests all run this very code.
package struct Pipeline {
    let context: PipelineContext
    /// The policy in force.
    package private(set) var policy: AccessPolicy
    var slots: [DeviceID: DeviceSlot] = [:]
    private var queue = DeadlineQueue()
    /// What is to be written with the next checkpoint.
    var changes = PipelineChanges()
    /// Devices whose state is on disk only.
    var absent: [DeviceID: AbsentDevice] = [:]
    /// Devices that are not in the registry, in memory or on disk.
    var unregistered: Set<DeviceID> = []
    /// Before this instant of the monotonic clock none of them can be dropped to make room for another.
    var roomNotBefore = -Double.infinity
    var refusals = RejectionLimiter()
    /// Bytes of all messages that wait.
    var waitingBytes = 0

    /// A pipeline without any state yet, for `streams`. Stored histories are read from `history`; without it they are kept in memory.
    ///
    /// `fingerprint` is that of `settings` and `streams`, where the caller knows it; otherwise it is computed when a journal needs it.
    package init(
        settings: PipelineSettings, policy: AccessPolicy, streams: Set<StreamName> = Set(StreamName.allCases),
        history: (any HistoryReader)? = nil, fingerprint: Fingerprint? = nil
    ) {
        context = PipelineContext(settings: settings, streams: streams, history: history, fingerprint: fingerprint)
        self.policy = policy
    }

    /// How far the wall clock is ahead of the time that is believed, in seconds; 0 where nothing else is known.
    package var clockLead: Double {
        get { context.clockLead }
        set { context.clockLead = newValue }
    }

    var settings: PipelineSettings { context.settings }
    var encoder: OutboundEncoder { context.encoder }

    /// Whether `stream` is this pipeline's to publish.
    func owns(_ stream: StreamName) -> Bool { context.owns(stream) }

    /// What `body` leads to be published.
    mutating func published(_ body: (inout Pipeline) -> Void) -> [OutboundMessage] {
        body(&self)
        return context.takeMessages()
    }

    /// What was counted so far.
    package var counters: PipelineCounters { context.counters }

    /// How many devices are in which of the states that were published last.
    package var fleet: FleetStates { context.fleet.states }
    /// The devices that cost the most within the last minutes.
    package var costliest: CostliestDevices { context.costliest }
    /// How many messages wait in all devices.
    package private(set) var waitingCount = 0

    /// When the first of the messages that wait for an earlier frame arrived, on the monotonic clock; nil when none does.
    package var incompleteSince: Double? { slots.values.lazy.compactMap(\.state.intake.waiting.incompleteSince).min() }

    /// The producers that are configured.
    package var producers: Producers { settings.producers }

    /// Whether the stages record reports, which `takeReports` returns.
    var isTracing: Bool {
        get { context.isTracing }
        nonmutating set { context.isTracing = newValue }
    }

    /// What the stages did since the last call.
    func takeReports() -> [StageReport] { context.takeReports() }

    /// How many devices hold state.
    package var deviceCount: Int { slots.count }

    /// The state of one device, if it has any.
    package func state(of device: DeviceID) -> DeviceState? { slots[device]?.state }

    /// Publishes `unknown` for every device that was last known under water, or moving: the gateway has just started, and its state is not
    /// confirmed. A device that was out of the water when its state was written, or that never had one, is left out. With `changesOwner`
    /// another gateway had the devices before; unless this one `holdsStates` of it, nothing is known of any.
    package mutating func begin(at now: GatewayTime, changesOwner: Bool = false, holdsStates: Bool = true) -> [OutboundMessage] {
        announceUnknown(at: now, changesOwner: changesOwner, isForgotten: changesOwner && !holdsStates)
    }

    /// Notes that the broker kept the session of a gateway before this one: what streams sent before the first frame that arrives
    /// now was presumably processed by it. Where this gateway holds the states that the one before stored, it knows: a stream
    /// without a state was never acknowledged, and its earlier frames may still come, for a broker may deliver again in any order. Where it
    /// holds none, any device may have been under water: `unknown` is published for every one that may measure depth.
    package mutating func resume(at now: GatewayTime, holdsStates: Bool = false) -> [OutboundMessage] {
        context.resumption = .init(at: now, holdsStates: holdsStates)
        return holdsStates ? [] : announceUnknown(at: now, changesOwner: false, isForgotten: true)
    }

    /// Notes that the broker may deliver frames again behind newer ones from now on: those that are missing then are waited for until the time
    /// that is set is over.
    ///
    /// - Parameter extendsWaits: Whether frames that wait already go on waiting until then, since the broker begins to deliver again what is not
    ///   acknowledged. Their depths are published where they are deeper than what was published.
    package mutating func awaitRedelivery(at now: GatewayTime, extendsWaits: Bool) -> [OutboundMessage] {
        guard let until = Redelivery.end(ofOneFrom: now, settings.intake) else { return [] }
        context.redeliveryUntil = until
        guard extendsWaits else { return [] }
        for slot in slots.values.sorted(by: { $0.device < $1.device }) where !slot.state.intake.waiting.isEmpty {
            turn(slot.device, at: now) { turn in
                turn.slot.state.intake.awaitRedelivery(until: until)
                turn.publishEarlyOfWaiting()
            }
        }
        return context.takeMessages()
    }

    /// Whether the broker may still deliver frames again behind newer ones.
    package func awaitsRedelivery(at now: GatewayTime) -> Bool { context.redelivery(at: now).isAwaited }

    /// Records whether activity of the devices in other pipelines may be missing. While it may, its absence does not count as silence.
    package mutating func awaitActivity(_ awaits: Bool, at now: GatewayTime) {
        context.awaitsActivity = awaits
        guard !awaits else { return }
        for slot in slots.values { schedule(slot, at: now) }
    }

    /// Counts frames that were set aside instead of being processed.
    package mutating func noteSetAside(_ count: Int) {
        context.counters.received.addSaturated(count)
        context.counters[nil].setAside.addSaturated(count)
    }

    /// Takes one message through all stages; what is to be published comes back in order.
    ///
    /// Timers that were due by the gateway's clock fire before the message is processed. Without `firesTimers` only those that its
    /// own samples show to be due: it was queued for an unknown time.
    package mutating func process(
        _ known: KnownMessage, at now: GatewayTime, firesTimers: Bool = true
    ) -> [OutboundMessage] {
        // A bridge's message changes only devices that have a state.
        if known.origin == .bridge, slots[known.device] == nil { return [] }
        context.firesTimers = firesTimers
        defer { context.firesTimers = true }
        guard let slot = slots[known.device] ?? (makesRoom(for: known, at: now) ? slot(of: known.device, at: now) : nil) else {
            return context.takeMessages()
        }
        turn(slot, at: now, takes: known.message) { turn in
            turn.slot.lastActive = now.monotonic
            turn.slot.holdsTimers = false
            turn.take(known)
        }
        endWaitsForRoom(at: now)
        return context.takeMessages()
    }

    /// Records the activity that other pipelines have received of its devices.
    package mutating func recordActivities(_ activities: [DeviceActivity], at now: GatewayTime) -> [OutboundMessage] {
        for activity in activities {
            let published = context.messages.count
            let wasChanged = slots[activity.device]?.standing == .changed
            turn(activity.device, at: now) { $0.recordActivity(activity) }
            if !wasChanged, context.messages.count == published { slots[activity.device]?.standing = .lacksActivity }
        }
        return context.takeMessages()
    }

    /// The activity since the last call, for the pipeline that owns `status`.
    package mutating func takeActivities() -> [DeviceActivity] {
        defer { context.activities.removeAll(keepingCapacity: true) }
        return context.activities
    }

    /// Why the history of a device could not be read since the last call; nil where none failed. The frames must be processed again.
    package mutating func takeHistoryFailure() -> (any Error)? { exchange(&context.historyFailure, with: nil) }

    /// The kinds that devices have had since the last call, and the devices that were forgotten, in order.
    package mutating func takeKindReports() -> [KindReport] {
        defer { context.kindReports.removeAll() }
        return context.kindReports
    }

    /// Holds back the timers of a device until its next message is processed, whose own samples show how long it was silent;
    /// waits go on.
    package mutating func holdTimers(of device: DeviceID, at now: GatewayTime) {
        guard let slot = slots[device] else { return }
        slot.holdsTimers = true
        schedule(slot, at: now)
    }

    /// Ends waits and fires timers that are due. Without `firesTimers` timers are paused: what they wait for is still to be read.
    ///
    /// Reports of histories go on while `mayGoOn` is true: it is asked before each step of some milliseconds. `leavesReport` says whether
    /// something of them is left for the next call.
    package mutating func tick(
        at now: GatewayTime, expiring: WaitExpiry = .all, firesTimers: Bool = true, while mayGoOn: @escaping () -> Bool = { true }
    ) -> [OutboundMessage] {
        context.leavesReport = false
        guard firesTimers || expiring != .none else { return [] }
        context.firesTimers = firesTimers
        context.mayGoOn = mayGoOn
        defer {
            context.firesTimers = true
            context.mayGoOn = { true }
        }
        if firesTimers, let slot = context.reportingSlot, !slot.holdsTimers { advanceReport(of: slot, at: now) }
        var paused: [DeviceSlot] = []
        while let slot = queue.take(dueAt: now.monotonic) {
            if context.leavesReport, isHistoryAloneDue(of: slot, at: now) {
                paused.append(slot)
                continue
            }
            turn(slot.device, at: now, schedules: false) { turn in
                turn.advance(firesTimers: firesTimers && !turn.slot.holdsTimers, expiring)
            }
            slot.deadline = DeviceTurn(context: context, slot: slot, now: now).deadline
            // What may not end or fire now is due again in the next call.
            if let deadline = slot.deadline, deadline <= now.monotonic { paused.append(slot) } else { queue.schedule(slot) }
        }
        for slot in paused { queue.schedule(slot) }
        return context.takeMessages()
    }

    private func isHistoryAloneDue(of slot: DeviceSlot, at now: GatewayTime) -> Bool {
        DeviceTurn(context: context, slot: slot, now: now).deadlineBesidesHistory.map { $0 > now.monotonic } ?? true
    }

    /// When, on the gateway's monotonic clock, the next wait ends or timer fires; nil when nothing is due.
    package mutating func nextDeadline() -> Double? { queue.next() }

    /// Processes whatever still waits, in order, and decides what is open: nothing more will come.
    package mutating func drain(at now: GatewayTime, endsRecording: Bool = false) -> [OutboundMessage] {
        for device in slots.keys.sorted() { turn(device, at: now) { $0.drain(endsRecording: endsRecording) } }
        return context.takeMessages()
    }

    /// Publishes `unknown` for every device that was last known under water, or moving: the gateway stops; with `changesOwner` another one
    /// takes its devices. What waits to be published is published with it.
    package mutating func end(at now: GatewayTime, changesOwner: Bool = false) -> [OutboundMessage] {
        let announced = announceUnknown(at: now, changesOwner: changesOwner, isForgotten: false)
        for slot in slots.values.sorted(by: { $0.device < $1.device }) where slot.holdsMessages {
            turn(slot, at: now) { $0.publishHeld(all: true) }
        }
        return announced + context.takeMessages()
    }

    /// Replaces the policy; what changes for devices that are there is published.
    package mutating func replace(policy changed: AccessPolicy, at now: GatewayTime) -> [OutboundMessage] {
        let before = policy
        policy = changed
        unregistered = Set(slots.keys).union(absent.keys).filter { changed.devices[$0] == nil }
        for device in slots.keys.sorted() where before.policy(for: device) != changed.policy(for: device) {
            guard let policy = changed.policy(for: device) else {
                revokeState(of: device, at: now)
                continue
            }
            turn(device, at: now) { $0.apply(policy) }
        }
        return context.takeMessages()
    }

    /// Drops a device that is no longer known, with its retained topics; what is published of that comes back.
    mutating func revoke(_ device: DeviceID, at now: GatewayTime) -> [OutboundMessage] {
        revokeState(of: device, at: now)
        return context.takeMessages()
    }

    mutating func revokeState(of device: DeviceID, at now: GatewayTime) {
        turn(device, at: now) { $0.revoke() }
        remove(device)
    }

    /// Drops a device with everything that is stored of it, and clears its retained topics. It begins anew with its next message.
    package mutating func erase(_ device: DeviceID, at now: GatewayTime) -> [OutboundMessage] {
        let isThere = slots[device] != nil
        if isThere { turn(device, at: now) { $0.endBeforeErasure() } }
        remove(device)
        context.eraseHistory(of: device)
        if isThere { slot(of: device, at: now)?.erasedAt = now }
        return context.takeMessages()
    }

    /// The policy for `device`; nil for a device that is not known.
    func policy(for device: DeviceID) -> DevicePolicy? { policy.policy(for: device) }

    /// The streams of which something is announced.
    private static let announced: [StreamName] = [.submersion, .pedometer]

    private mutating func announceUnknown(at now: GatewayTime, changesOwner: Bool, isForgotten: Bool) -> [OutboundMessage] {
        let streams = Self.announced.filter(context.owns)
        guard !streams.isEmpty else { return [] }
        var devices = Set(
            slots.filter { slot in
                slot.value.state.hasLostDepth || streams.contains { slot.value.state.boot.histories[$0] != nil }
            }.keys)
        if context.owns(.submersion) {
            // Devices without a state are taken into memory only where they may have had one.
            devices.formUnion(policy.depthDevices.filter { isForgotten || slots[$0] != nil })
        }
        for device in devices.sorted() {
            turn(device, at: now) { $0.announce(changesOwner: changesOwner, isForgotten: isForgotten) }
        }
        return context.takeMessages()
    }

    // MARK: Slots

    /// Runs one step of a device, and records that its state has changed: by `message`, or by anything else. A device that is not
    /// known is skipped.
    mutating func turn(
        _ device: DeviceID, at now: GatewayTime, schedules: Bool = true, takes message: InboundMessage? = nil,
        _ body: (DeviceTurn) -> Void
    ) {
        guard let slot = slot(of: device, at: now) else { return }
        turn(slot, at: now, schedules: schedules, takes: message, body)
    }

    mutating func turn(
        _ slot: DeviceSlot, at now: GatewayTime, schedules: Bool = true, takes message: InboundMessage? = nil,
        _ body: (DeviceTurn) -> Void
    ) {
        let turn = DeviceTurn(context: context, slot: slot, now: now)
        let entry = changes.journal.isOn ? message.map(turn.journalEntry) : nil
        let (bytes, count) = (slot.state.intake.waiting.bytes, slot.state.intake.waiting.count)
        body(turn)
        waitingBytes += slot.state.intake.waiting.bytes - bytes
        waitingCount += slot.state.intake.waiting.count - count
        limitDecoded()
        changes.note(slot, entry)
        if schedules { schedule(slot, at: now) }
    }

    private mutating func slot(of device: DeviceID, at now: GatewayTime) -> DeviceSlot? {
        if let slot = slots[device] { return slot }
        guard let policy = policy.policy(for: device) else { return nil }
        let slot = DeviceSlot(device, policy: policy, at: now.monotonic)
        slots[device] = slot
        if self.policy.devices[device] == nil { unregistered.insert(device) }
        return slot
    }

    private mutating func schedule(_ slot: DeviceSlot, at now: GatewayTime) {
        slot.deadline = DeviceTurn(context: context, slot: slot, now: now).deadline
        queue.schedule(slot)
    }

    /// Puts a state that was written into memory.
    mutating func install(_ state: DeviceState, of device: DeviceID, policy: DevicePolicy, at now: GatewayTime) {
        slots[device] = DeviceSlot(device, policy: policy, state: state, at: now.monotonic)
        if self.policy.devices[device] == nil { unregistered.insert(device) }
        waitingBytes += state.intake.waiting.bytes
        waitingCount += state.intake.waiting.count
        context.restoreFleet(state.retained, of: device)
    }

    /// Drops a device's state from memory; what is on disk goes with the next checkpoint.
    mutating func remove(_ device: DeviceID) {
        discard(device)
        unregistered.remove(device)
        changes.noteRemoved(device)
        if settings.reportsKinds { context.kindReports.append(.forgotten(device)) }
    }

    /// Drops a device's state from memory alone.
    mutating func discard(_ device: DeviceID) {
        guard let slot = slots.removeValue(forKey: device) else { return }
        slot.deadline = nil
        slot.queuedFor = nil
        // The queue may still hold the slot.
        slot.report = nil
        slot.standing = .stored
        slot.journal = DeviceJournal(of: device)
        waitingBytes -= slot.state.intake.waiting.bytes
        waitingCount -= slot.state.intake.waiting.count
    }
}
