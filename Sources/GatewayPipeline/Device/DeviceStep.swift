import TelemetryModel

/// One step of one device: a message, a tick, a change of policy, or the end.
///
/// The stages are its extensions, in the order that data take: `+Order` (decode, sequence), `+Boot`, `+Convention`, `+Check`, `+Derive`,
/// `+Publish`.
struct DeviceStep {
    let device: DeviceID
    let settings: PipelineSettings
    let encoder: OutboundEncoder
    let decoder: MessageDecoder
    let now: GatewayTime
    let resumedAt: GatewayTime?
    /// The streams whose derivations are this pipeline's.
    let streams: Set<StreamName>
    var policy: DevicePolicy
    var state: DeviceState
    var counters: PipelineCounters
    var messages: [OutboundMessage] = []
    /// Whether the message at hand is of a stream that is this pipeline's to tell of.
    var ownsMessage = true
    /// What the pipeline that owns `status` is to hear.
    var activities: [DeviceActivity] = []

    /// Whether what is derived of `stream` is this pipeline's to tell.
    func owns(_ stream: StreamName) -> Bool { streams.contains(stream) }

    /// Counts the message at hand, once in all pipelines.
    mutating func count(_ counter: WritableKeyPath<PipelineCounters, Int>) {
        if ownsMessage { counters[keyPath: counter] += 1 }
    }

    /// What the checks go by.
    var authorizer: Authorizer { Authorizer(policy: policy, claims: state.status) }

    /// The latest device time that timers may run to: now, or the first sample that waits.
    var horizon: DeviceTime? {
        guard let estimate = state.clock.estimate(at: now) else { return nil }
        return state.earliestHeldSample.map { min($0, estimate) } ?? estimate
    }

    /// Ends waits that are over, and fires timers that are due.
    mutating func tick(firesTimers: Bool = true, expiring: WaitExpiry = .all) {
        expireWaits(expiring)
        if firesTimers, let horizon { fireTimers(until: horizon) }
    }

    /// When the next wait ends or timer fires, on the gateway's monotonic clock; a timer that may not run past a frame that
    /// waits does not count.
    func deadline(includesTimers: Bool = true) -> Double? {
        let waits = state.deadline(settings: settings)
        guard includesTimers, let due = timerDue, let estimate = state.clock.estimate(at: now),
            due <= state.earliestHeldSample ?? due
        else { return waits }
        let timer = now.monotonic + (due - estimate)
        return waits.map { min($0, timer) } ?? timer
    }

    /// Processes whatever waits, as if nothing more could come: a clean stop, or the end of a recording.
    mutating func drain() {
        releaseHeld()
        decideOpenSwings()
    }
}
