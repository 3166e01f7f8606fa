import GatewayPipeline
import TelemetryModel

/// Admission check and pipeline without broker and files, a clock that the target sets, and the invariants of every message.
struct FuzzGateway {
    private let rules: FuzzRules
    private var policy: AccessPolicy
    private let history: FuzzHistory
    private var admission: AdmissionCheck
    private var pipeline: Pipeline
    /// The gateway's clock.
    private(set) var now: GatewayTime
    /// Messages that were sent since the gateway began.
    private var sent = 0
    /// Messages that waited in the gateway before.
    private var restored = 0
    private var notAdmitted: Int { admission.rejected.values.reduce(0, +) }

    /// A gateway with the histories that one before it has written, at unix time `start`; by default it knows every device.
    init(
        _ rules: FuzzRules, policy: AccessPolicy = Self.policy, history: FuzzHistory = FuzzHistory(),
        start: Double = 1_763_744_000
    ) {
        self.rules = rules
        self.policy = policy
        self.history = history
        admission = AdmissionCheck(policy: policy, settings: rules.settings)
        pipeline = Pipeline(settings: rules.settings, policy: policy, history: history, fingerprint: rules.fingerprint)
        pipeline.beginJournal(after: 0)
        now = GatewayTime(unix: UnixTime(start), monotonic: start)
    }

    private static let policy = {
        var policy = AccessPolicy(unknown: .everything)
        policy.senders = [.bound(topic: "sensor-logger/user", id: "fuzz"): device]
        return policy
    }()

    /// The device of messages whose sender is registered.
    private static let device = identifier("d1")

    static func identifier(_ text: String) -> Identifier {
        guard let identifier = Identifier(text) else { fatalError("\(text) is an identifier") }
        return identifier
    }

    /// All derivations run, and histories are kept.
    static let settings = {
        var settings = PipelineSettings(gateway: identifier("fuzz"))
        settings.history.isStored = true
        return settings
    }()

    /// Sends a message; what is published comes back. While queued messages are read neither waits end nor timers fire, as in a lane.
    mutating func send(_ message: InboundMessage, isQueued: Bool = false) -> [OutboundMessage] {
        var output: [OutboundMessage] = []
        sent += 1
        let known = admission.admit(message, at: now, into: &output)
        if !isQueued {
            for known in known { pipeline.holdTimers(of: known.device, at: now) }
            output += pipeline.tick(at: now)
        }
        for known in known { output += pipeline.process(known, at: now, firesTimers: !isQueued) }
        return output
    }

    /// Advances the clock by `seconds`, with every timer that is due until then.
    mutating func advance(by seconds: Double) -> [OutboundMessage] {
        var output: [OutboundMessage] = []
        let end = GatewayTime(unix: UnixTime(now.unix.seconds + seconds), monotonic: now.monotonic + seconds)
        pipeline.advance(&now, to: end) { messages, _ in output += messages }
        return output
    }

    /// Advances the clock by `seconds` at once; timers that are due by then fire then. `steps` limits how many steps reports of histories
    /// take.
    mutating func pass(_ seconds: Double, steps: Int = .max) -> [OutboundMessage] {
        now = GatewayTime(unix: UnixTime(now.unix.seconds + seconds), monotonic: now.monotonic + seconds)
        var left = steps
        return pipeline.tick(at: now) {
            left -= 1
            return left >= 0
        }
    }

    /// Replaces what is known of devices, as a registry that has changed does.
    mutating func replace(policy: AccessPolicy) -> [OutboundMessage] {
        self.policy = policy
        admission.policy = policy
        return pipeline.replace(policy: policy, at: now)
    }

    /// Erases what is stored of a device.
    mutating func erase(_ device: DeviceID) -> [OutboundMessage] { pipeline.erase(device, at: now) }

    /// Begins a time in which the broker may deliver frames again.
    mutating func awaitRedelivery() -> [OutboundMessage] { pipeline.awaitRedelivery(at: now, extendsWaits: true) }

    /// What is known of a device.
    func state(of device: DeviceID) -> DeviceState? { pipeline.state(of: device) }

    /// Ends all waits, as a clean stop does; every message then has exactly one outcome.
    mutating func end() -> [OutboundMessage] {
        let output = pipeline.drain(at: now) + pipeline.end(at: now)
        let counters = pipeline.counters
        require(
            counters.received + notAdmitted == sent, "\(sent) messages, \(counters.received) received, \(notAdmitted) refused")
        require(
            counters.outcomes == counters.received + restored,
            "\(counters.received) received, \(restored) restored, \(counters.outcomes) outcomes")
        return output
    }

    /// What a checkpoint writes.
    struct Checkpoint {
        var changes: [StateChange]
        var row: JournalRow?
        /// The first row of the journal that is needed.
        var firstRow: UInt64
        /// The states that it leads to.
        var states: [DeviceID: DeviceState]
    }

    /// What is to be written since the last call; it counts as written.
    mutating func checkpoint() -> Checkpoint {
        do {
            defer { pipeline.noteWritten() }
            let changes = try pipeline.takeChanges()
            history.write(changes)
            pipeline.noteHistoryWritten(changes)
            let states = changes.compactMap { change in pipeline.state(of: change.device).map { (change.device, $0) } }
            return Checkpoint(
                changes: changes, row: pipeline.takeJournalRow(), firstRow: pipeline.firstJournalRow,
                states: Dictionary(states) { _, latest in latest })
        } catch {
            fatalError("a state cannot be encoded: \(error)")
        }
    }

    /// The gateway after this one, which restores `states` and resumes the session; what it publishes at its start comes back.
    func successor(restoring store: FuzzStore, output: inout [OutboundMessage]) -> FuzzGateway {
        var next = FuzzGateway(rules, policy: policy, history: history, start: now.unix.seconds)
        next.pipeline.beginJournal(after: store.lastNumber)
        var replay = JournalReplay(settings: rules.settings, policy: policy, share: .whole, fingerprint: rules.fingerprint)
        for stored in store.states {
            var dropped: [DroppedPart] = []
            var state = DeviceState(stored, dropped: &dropped)
            require(dropped.isEmpty, "parts were dropped: \(dropped)")
            let again = replay.advance(&state, of: stored.device, by: store.entries(after: stored)) { $1() }
            require(again.messages.isEmpty, "\(again.messages.count) messages of the journal were published again")
            let expected = store.expected[stored.device] ?? DeviceState()
            require(state == expected, "\(stored.device) differs in \(state.differences(from: expected))")
            output += next.pipeline.restore(state, of: stored.device, at: next.now)
        }
        next.restored = next.pipeline.waitingCount
        next.pipeline.doubtRestored()
        output += next.pipeline.begin(at: next.now)
        output += next.pipeline.resume(at: next.now, holdsStates: true)
        return next
    }
}
