internal import HeapModule
import TelemetryModel

/// One device of a pipeline: its state and its next deadline.
final class DeviceSlot {
    /// How a state stands to what is stored of it. What of a state has changed, its parts know (`Tracked`).
    enum Standing {
        /// It is stored as it is.
        case stored
        /// It lacks nothing but activity that other lanes have reported: a stop writes that, and after a crash silence is counted anew.
        case lacksActivity
        /// It was taken out as it is, and may not be written yet.
        case taken
        /// It has changed since it was taken out: the next checkpoint takes it.
        case changed
    }

    let device: DeviceID
    /// The operator's policy for the device.
    var policy: DevicePolicy {
        didSet {
            rules = nil
            latestAuthorizer = nil
            report = nil
        }
    }
    /// What identifies the settings and the policy in the journal; nil until it is needed.
    var rules: UInt64?
    /// Its state.
    var state: DeviceState
    /// When its next wait ends or timer fires, on the gateway's monotonic clock.
    var deadline: Double?
    /// The deadline under which it is in the pipeline's queue.
    var queuedFor: Double?
    /// When its last message was received, on the gateway's monotonic clock.
    var lastActive: Double
    /// Whether its timers are held back: a message of it is about to be processed, whose samples show how long it was silent.
    var holdsTimers = false
    /// The streams of which messages wait, as they were when that was last asked.
    var waitingStreams: WaitingStreams?
    /// How its state stands to what is stored.
    var standing = Standing.stored
    /// What the next checkpoint writes of it.
    var journal: DeviceJournal
    /// The kinds that were reported since the slot was made; empty unless `PipelineSettings.reportsKinds` is set.
    var reportedKinds: Set<String> = []
    /// Whether the order of its frames was lost with a part of its stored state.
    var hasLostOrder = false
    /// When everything stored of it was erased; nil where that was not while it is in memory.
    var erasedAt: GatewayTime?
    /// The report of its history that is under way; nil for none. It may be dropped at any time: it begins anew then.
    var report: HistoryReport?
    private var latestAuthorizer: Authorizer?
    /// The messages that the next checkpoint keeps for the query `events`.
    private var events: [StoredEvent] = []

    init(_ device: DeviceID, policy: DevicePolicy, state: DeviceState = DeviceState(), at monotonic: Double) {
        self.device = device
        self.policy = policy
        self.state = state
        journal = DeviceJournal(of: device)
        lastActive = monotonic
    }

    /// The checks of the device, by its policy and its status.
    var authorizer: Authorizer {
        if let latestAuthorizer { return latestAuthorizer }
        let authorizer = Authorizer(of: device, policy: policy, claims: state.status)
        latestAuthorizer = authorizer
        return authorizer
    }

    /// Changes the status that the device reported.
    func changeStatus(_ body: (inout DeviceStatus?) -> Void) {
        body(&state.access.status)
        latestAuthorizer = nil
    }

    /// Puts another state in place of the present one.
    func replaceState(by other: DeviceState) {
        state = other
        latestAuthorizer = nil
        report = nil
        reportedKinds = []
        journal.requireState(whole: true)
    }

    /// Adds a message for the query `events`.
    func add(_ event: StoredEvent) { events.append(event) }

    /// Takes out the messages for the query `events`.
    func takeEvents() -> [StoredEvent] { exchange(&events, with: []) }

    /// Puts back messages that could not be written.
    func putBack(_ failed: [StoredEvent]) { events = failed + events }

    /// Drops the messages for the query `events`; with `kinds` those alone.
    func dropEvents(of kinds: Set<String>? = nil) { events.removeAll { kinds?.contains($0.kind) ?? true } }

    /// Whether states or gaps wait to be published.
    var holdsMessages: Bool {
        !state.retained.heldKinds.isEmpty || state.budgets.gaps?.values.contains { $0.due != nil } == true
    }

    /// Whether the state may be dropped to make room: nothing of the device's is under water.
    var isExpendable: Bool { state.boot.derivations.isExpendable }
}

/// A device whose state is on disk only.
package struct AbsentDevice: Sendable, Equatable {
    /// When its last message was received, on the gateway's monotonic clock.
    var lastActive: Double
    /// Whether its state may be dropped to make room.
    var isExpendable: Bool
}

/// The devices by the deadline at which they are advanced; the earliest first, equal deadlines in the order of ids.
///
/// A deadline that moves back is corrected only when its entry is first in the queue, so that a frame does not change the heap.
struct DeadlineQueue {
    private struct Entry: Comparable {
        let at: Double
        let slot: DeviceSlot

        static func < (left: Entry, right: Entry) -> Bool {
            (left.at, left.slot.device) < (right.at, right.slot.device)
        }

        static func == (left: Entry, right: Entry) -> Bool { left.at == right.at && left.slot === right.slot }
    }

    private var heap = Heap<Entry>()

    /// Puts `slot` under its deadline; call it whenever that has changed.
    mutating func schedule(_ slot: DeviceSlot) {
        guard let deadline = slot.deadline, deadline < slot.queuedFor ?? .infinity else { return }
        slot.queuedFor = deadline
        heap.insert(Entry(at: deadline, slot: slot))
    }

    /// The earliest deadline; nil when there is none.
    mutating func next() -> Double? {
        while let entry = heap.min {
            if isCurrent(entry) { return entry.at }
            heap.removeMin()
        }
        return nil
    }

    /// Removes and returns the device with the earliest deadline, if that is at or before `monotonic`.
    mutating func take(dueAt monotonic: Double) -> DeviceSlot? {
        guard let next = next(), next <= monotonic else { return nil }
        let slot = heap.removeMin().slot
        slot.queuedFor = nil
        return slot
    }

    /// Whether `entry` is the present deadline of its device; a deadline that has moved back is queued again.
    private mutating func isCurrent(_ entry: Entry) -> Bool {
        let slot = entry.slot
        guard slot.queuedFor == entry.at else { return false }
        if slot.deadline == entry.at { return true }
        slot.queuedFor = nil
        schedule(slot)
        return false
    }
}
