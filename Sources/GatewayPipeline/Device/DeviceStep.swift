import TelemetryModel

/// One step of one device: a message, a tick, a change of policy, or the end.
///
/// The stages are its extensions, in the order that data take: `+Order` (decode, boots, sequence), `+Check`, `+Derive`,
/// `+Publish`.
struct DeviceStep {
    let device: DeviceID
    let settings: PipelineSettings
    let encoder: OutboundEncoder
    let decoder: NativeFrameDecoder
    let now: GatewayTime
    let resumedAt: GatewayTime?
    var policy: DevicePolicy
    var state: DeviceState
    var counters: PipelineCounters
    var messages: [OutboundMessage] = []

    /// What the checks go by.
    var authorizer: Authorizer { Authorizer(policy: policy, claims: state.shared.status) }

    /// The latest device time that timers may run to: now, or the first sample that waits.
    var horizon: DeviceTime? {
        guard let estimate = state.shared.clock.estimate(at: now) else { return nil }
        return earliestHeldSample.map { min($0, estimate) } ?? estimate
    }

    /// The earliest sample among the frames that wait, in any lane.
    private var earliestHeldSample: DeviceTime? { state.lanes.values.compactMap(\.earliestHeldSample).min() }

    /// Ends waits that are over, and fires timers that are due.
    mutating func tick(firesTimers: Bool = true) {
        for lane in Lane.allCases { expireWaits(in: lane) }
        if firesTimers, let horizon { fireTimers(until: horizon) }
    }

    /// When the next wait ends or timer fires, on the gateway's monotonic clock; a timer that may not run past a frame that
    /// waits does not count.
    func deadline(includesTimers: Bool = true) -> Double? {
        let waits = state.lanes.values.compactMap { $0.deadline(settings: settings) }.min()
        guard includesTimers, let due = timerDue, let estimate = state.shared.clock.estimate(at: now),
            due <= earliestHeldSample ?? due
        else { return waits }
        let timer = now.monotonic + (due - estimate)
        return waits.map { min($0, timer) } ?? timer
    }

    /// Processes whatever waits, as if nothing more could come: a clean stop, or the end of a recording.
    mutating func drain() {
        for lane in Lane.allCases { releaseHeld(in: lane) }
        decideOpenSwings()
    }
}
