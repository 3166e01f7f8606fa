package import TelemetryModel

/// Decode, normalize, check, derive, publish: one call per message, pure and synchronous.
///
/// It owns the state of the devices that fall to its shard. Clocks come in as arguments, messages go out as results, so
/// the live gateway, a replay, the tests and the benchmarks all run this very code.
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

    private let settings: PipelineSettings
    private let shard: Shard
    private let encoder: OutboundEncoder
    private let decoder: NativeFrameDecoder
    private var policy: AccessPolicy
    private var resumedAt: GatewayTime?
    private var devices: [DeviceID: DeviceState] = [:]
    /// When something is next due for each device, on the gateway's monotonic clock: most looks find nothing to do.
    private var deadlines: [DeviceID: Double] = [:]

    /// A pipeline without any state yet.
    package init(settings: PipelineSettings, policy: AccessPolicy, shard: Shard = .whole) {
        self.settings = settings
        self.policy = policy
        self.shard = shard
        encoder = OutboundEncoder(
            root: settings.topics.rootPath, configurationFingerprint: settings.configurationFingerprint)
        decoder = NativeFrameDecoder()
    }

    /// How many devices hold state.
    package var deviceCount: Int { devices.count }

    /// The state of one device, if it has any.
    package func state(of device: DeviceID) -> DeviceState? { devices[device] }

    /// Tells of every depth device that nothing is confirmed yet: the gateway has just started.
    package mutating func begin(at now: GatewayTime) -> [OutboundMessage] { announceUnknownDepth(at: now) { _ in true } }

    /// Takes note that the broker kept the session of a gateway before us: what streams sent before was processed by it.
    package mutating func resume(at now: GatewayTime) { resumedAt = now }

    /// Takes one message through all stages; what is to be published comes back in order.
    package mutating func process(_ known: KnownMessage, at now: GatewayTime) -> [OutboundMessage] {
        counters.received += 1
        return step(known.device, at: now) { $0.take(known.message, streamName: known.streamName) }
    }

    /// Ends waits and fires timers that are due; of a device that is just being heard only the waits.
    package mutating func tick(at now: GatewayTime, hearing heard: DeviceID? = nil) -> [OutboundMessage] {
        let due = deadlines.filter { $0.value <= now.monotonic }.keys.sorted()
        return due.flatMap { device in step(device, at: now) { $0.tick(firesTimers: device != heard) } }
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
        announceUnknownDepth(at: now) { $0.submersion.state != .notSubmerged }
    }

    /// Replaces the policy; what changes for devices that are there is published.
    package mutating func replace(policy changed: AccessPolicy, at now: GatewayTime) -> [OutboundMessage] {
        var messages: [OutboundMessage] = []
        let before = policy
        policy = changed
        for device in devices.keys.sorted() where before.policy(for: device) != changed.policy(for: device) {
            guard var step = makeStep(device, policy: before.policy(for: device) ?? .everything, at: now) else { continue }
            let isKept = step.apply(changed.policy(for: device))
            keep(isKept ? step : nil, of: device)
            counters = step.counters
            messages += step.messages
        }
        return messages
    }

    private mutating func announceUnknownDepth(
        at now: GatewayTime, where condition: (DerivationSet) -> Bool
    ) -> [OutboundMessage] {
        let seen = devices.filter { $0.value.lanes[.safety]?.histories[.submersion] != nil }.keys
        return Set(policy.depthDevices.filter(shard.owns)).union(seen).sorted().flatMap { device in
            step(device, at: now) { step in
                let derivations = step.state.lanes[.safety]?.derivations ?? DerivationSet()
                guard step.authorizer.standingRefusal(of: .submersion) == nil, condition(derivations) else { return }
                step.publishPolicyChange(
                    .depthState(
                        DepthStateChange(
                            state: .unknown, previous: derivations.submersion.state, cause: .restart,
                            maximumDepth: step.submersionSettings.maximumDepth)),
                    quality: .stale)
            }
        }
    }

    private mutating func step(
        _ device: DeviceID, at now: GatewayTime, _ body: (inout DeviceStep) -> Void
    ) -> [OutboundMessage] {
        guard let policy = policy.policy(for: device), var step = makeStep(device, policy: policy, at: now) else {
            return []
        }
        // The step is to be the only owner of what it changes, or every change would copy it.
        devices[device] = nil
        counters = PipelineCounters()
        body(&step)
        keep(step, of: device)
        counters = step.counters
        return step.messages
    }

    private mutating func keep(_ step: DeviceStep?, of device: DeviceID) {
        devices[device] = step?.state
        deadlines[device] = step?.deadline()
    }

    private func makeStep(_ device: DeviceID, policy: DevicePolicy, at now: GatewayTime) -> DeviceStep? {
        guard shard.owns(device) else { return nil }
        return DeviceStep(
            device: device, settings: settings, encoder: encoder, decoder: decoder, now: now, resumedAt: resumedAt,
            policy: policy,
            state: devices[device] ?? DeviceState(), counters: counters)
    }
}
