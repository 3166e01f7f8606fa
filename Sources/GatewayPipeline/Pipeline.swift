package import TelemetryModel

/// Decode, normalize, check, derive, publish: one call per message, pure and synchronous.
///
/// It owns the state of the devices that fall to its shard, for the streams that are its own. Of the streams that concern all
/// others (`status`, `workout`, `command`) every pipeline sees every message; only their owner tells of them. Clocks come in as
/// arguments, messages go out as results, so the live gateway, a replay and the tests all run this very code.
package struct Pipeline {
    /// A share of all devices, so that several pipelines can divide them without a lock.
    package struct Shard: Sendable, Equatable {
        /// Which share, from 0.
        package var index: Int
        /// How many shares there are.
        package var count: Int

        /// The only share.
        package static let whole = Shard(index: 0, count: 1)

        /// Share `index` of `count`.
        package init(index: Int, count: Int) {
            self.index = index
            self.count = count
        }

        /// The share that `device` falls to among `count`: 32-bit FNV-1a of its id, the same in every run.
        package static func index(of device: DeviceID, among count: Int) -> Int {
            var hash: UInt32 = 2_166_136_261
            for byte in device.rawValue.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
            return Int(hash) % count
        }

        /// Whether `device` falls to this share.
        package func owns(_ device: DeviceID) -> Bool { Self.index(of: device, among: count) == index }
    }

    /// What was seen so far.
    package private(set) var counters = PipelineCounters()

    let settings: PipelineSettings
    let streams: Set<StreamName>
    private let shard: Shard
    let encoder: OutboundEncoder
    private let decoder: MessageDecoder
    var policy: AccessPolicy
    private var resumedAt: GatewayTime?
    var devices: [DeviceID: DeviceState] = [:]
    /// When something is next due for each device, on the gateway's monotonic clock: most looks find nothing to do.
    var deadlines: [DeviceID: Double] = [:]
    /// Devices whose state is no longer as it was when `takeChanged` was last called.
    var changed: Set<DeviceID> = []
    /// Devices whose state was taken out and may not be written down yet.
    var unwritten: Set<DeviceID> = []
    /// Devices whose state is on disk only.
    var absent: Set<DeviceID> = []
    /// When each device was last heard, on the gateway's monotonic clock.
    var lastHeard: [DeviceID: Double] = [:]
    private var activities: [DeviceActivity] = []

    /// A pipeline without any state yet, for `streams`.
    package init(
        settings: PipelineSettings, policy: AccessPolicy, streams: Set<StreamName> = Set(StreamName.allCases),
        shard: Shard = .whole
    ) {
        self.settings = settings
        self.streams = streams
        self.policy = policy
        self.shard = shard
        encoder = OutboundEncoder(
            root: settings.topics.rootPath, configurationFingerprint: settings.configurationFingerprint)
        decoder = MessageDecoder(producers: settings.producers)
    }

    /// Who publishes in ways of their own.
    package var producers: Producers { settings.producers }

    /// How many devices hold state.
    package var deviceCount: Int { devices.count }

    /// The state of one device, if it has any.
    package func state(of device: DeviceID) -> DeviceState? { devices[device] }

    /// Tells of every depth device that nothing is confirmed yet: the gateway has just started.
    /// One that was out of the water when its state was written down is not told of.
    package mutating func begin(at now: GatewayTime) -> [OutboundMessage] {
        announceUnknownDepth(at: now)
    }

    /// Takes note that the broker kept the session of a gateway before us: what streams sent before was processed by it.
    package mutating func resume(at now: GatewayTime) { resumedAt = now }

    /// Takes one message through all stages; what is to be published comes back in order.
    package mutating func process(_ known: KnownMessage, at now: GatewayTime) -> [OutboundMessage] {
        if known.stream.map(streams.contains) ?? true { counters.received += 1 }
        lastHeard[known.device] = now.monotonic
        return step(known.device, at: now) { $0.take(known) }
    }

    /// Takes note of what other pipelines have heard of its devices.
    package mutating func hear(_ activities: [DeviceActivity], at now: GatewayTime) -> [OutboundMessage] {
        // That a device was heard again is not worth a checkpoint: if it is forgotten, the next activity tells it.
        activities.flatMap { activity in
            step(activity.device, at: now, isToBeWritten: { !$0.messages.isEmpty }) { $0.hear(activity) }
        }
    }

    /// What the pipeline that owns `status` is to hear, since the last call.
    package mutating func takeActivities() -> [DeviceActivity] {
        defer { activities.removeAll(keepingCapacity: true) }
        return activities
    }

    /// Ends waits and fires timers that are due; of a device that is just being heard only the waits. Without `firesTimers` time stands
    /// still for timers: what they wait for is still to be read.
    package mutating func tick(
        at now: GatewayTime, hearing heard: DeviceID? = nil, expiring: WaitExpiry = .all, firesTimers: Bool = true
    ) -> [OutboundMessage] {
        guard firesTimers || expiring != .none else { return [] }
        let due = deadlines.filter { $0.value <= now.monotonic }.keys.sorted()
        return due.flatMap { device in
            step(device, at: now) { $0.tick(firesTimers: firesTimers && device != heard, expiring: expiring) }
        }
    }

    /// When, on the gateway's monotonic clock, the next wait ends or timer fires; of a device that is just being heard only the
    /// waits count.
    package func nextDeadline(hearing heard: DeviceID? = nil, at now: GatewayTime) -> Double? {
        var earliest = deadlines.filter { $0.key != heard }.values.min()
        if let heard, let policy = policy.policy(for: heard), devices[heard] != nil,
            let wait = makeStep(heard, policy: policy, at: now)?.deadline(includesTimers: false)
        {
            earliest = min(earliest ?? wait, wait)
        }
        return earliest
    }

    /// Processes whatever still waits, in order, and decides open swings: nothing more will come.
    package mutating func drain(at now: GatewayTime) -> [OutboundMessage] {
        devices.keys.sorted().flatMap { device in step(device, at: now) { $0.drain() } }
    }

    /// Tells of every depth device not known to be out of the water that nothing will be known: the gateway stops.
    package mutating func end(at now: GatewayTime) -> [OutboundMessage] {
        announceUnknownDepth(at: now)
    }

    /// Replaces the policy; what changes for devices that are there is published.
    package mutating func replace(policy changed: AccessPolicy, at now: GatewayTime) -> [OutboundMessage] {
        var messages: [OutboundMessage] = []
        let before = policy
        policy = changed
        for device in devices.keys.sorted() where before.policy(for: device) != changed.policy(for: device) {
            messages += apply(changed.policy(for: device), to: device, before: before.policy(for: device), at: now)
        }
        return messages
    }

    mutating func apply(
        _ policy: DevicePolicy?, to device: DeviceID, before: DevicePolicy?, at now: GatewayTime
    ) -> [OutboundMessage] {
        guard var step = makeStep(device, policy: before ?? .everything, at: now) else { return [] }
        let isKept = step.apply(policy)
        keep(isKept ? step : nil, of: device)
        counters = step.counters
        return step.messages
    }

    private mutating func announceUnknownDepth(at now: GatewayTime) -> [OutboundMessage] {
        guard streams.contains(.submersion) else { return [] }
        let seen = devices.filter { $0.value.histories[.submersion] != nil }.keys
        return Set(policy.depthDevices.filter(shard.owns)).union(seen).sorted().flatMap { device in
            step(device, at: now) { step in
                let state = step.state.derivations.submersion.state
                guard step.authorizer.standingRefusal(of: .submersion) == nil, state != .notSubmerged else { return }
                step.publishPolicyChange(
                    .depthState(
                        DepthStateChange(
                            state: .unknown, previous: state, cause: .restart,
                            maximumDepth: step.submersionSettings.maximumDepth)),
                    quality: .stale)
            }
        }
    }

    mutating func step(
        _ device: DeviceID, at now: GatewayTime, isToBeWritten: (DeviceStep) -> Bool = { _ in true },
        _ body: (inout DeviceStep) -> Void
    ) -> [OutboundMessage] {
        guard !absent.contains(device), let policy = policy.policy(for: device),
            var step = makeStep(device, policy: policy, at: now)
        else { return [] }
        // The step is to be the only owner of what it changes, or every change would copy it.
        devices[device] = nil
        counters = PipelineCounters()
        body(&step)
        keep(step, of: device, isToBeWritten: isToBeWritten(step))
        counters = step.counters
        activities += step.activities
        return step.messages
    }

    private mutating func keep(_ step: DeviceStep?, of device: DeviceID, isToBeWritten: Bool = true) {
        devices[device] = step?.state
        deadlines[device] = step?.deadline()
        if step == nil { lastHeard[device] = nil }
        if isToBeWritten { changed.insert(device) }
    }

    private func makeStep(_ device: DeviceID, policy: DevicePolicy, at now: GatewayTime) -> DeviceStep? {
        guard shard.owns(device) else { return nil }
        return DeviceStep(
            device: device, settings: settings, encoder: encoder, decoder: decoder, now: now, resumedAt: resumedAt,
            streams: streams, policy: policy,
            state: devices[device] ?? DeviceState(), counters: counters)
    }
}
