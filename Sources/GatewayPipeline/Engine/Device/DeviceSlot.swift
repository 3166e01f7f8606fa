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
        let authorizer = Authorizer(policy: policy, claims: state.status)
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
    func takeEvents() -> [StoredEvent] {
        defer { events = [] }
        return events
    }

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
