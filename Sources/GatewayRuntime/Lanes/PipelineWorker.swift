import GatewayConfiguration
package import GatewayPipeline
import Mosquitto
import TelemetryModel

/// Owns the state of a share of the devices in one lane; one call at a time, so every device's messages keep their order.
///
/// What comes out is handed to egress within the call: two calls can never publish in another order than they ran.
actor PipelineWorker {
    nonisolated let executor: WorkerExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private var pipeline: Pipeline
    private let shard: Pipeline.Shard
    private let egress: any OutboundSink
    private let store: CheckpointStore?
    private let tracer: FrameTracer?

    /// A worker for the devices of `shard`.
    init(
        plan: LanePlan, settings: PipelineSettings, policy: AccessPolicy, shard: Pipeline.Shard, egress: any OutboundSink,
        store: CheckpointStore?, tracer: FrameTracer?
    ) {
        executor = WorkerExecutor(name: "\(plan.name.rawValue)-\(shard.index)", isUrgent: plan.priority == .urgent)
        pipeline = Pipeline(settings: settings, policy: policy, streams: plan.share.streams, shard: shard)
        self.shard = shard
        self.egress = egress
        self.store = store
        self.tracer = tracer
    }

    /// What was seen so far, and how many devices hold state in memory.
    var snapshot: (counters: PipelineCounters, devices: Int) { (pipeline.counters, pipeline.deviceCount) }

    /// Takes messages in order; what the lane that judges connections is to hear comes back. Throws when a state cannot be read.
    func process(_ messages: [KnownMessage], at now: GatewayTime) throws -> [DeviceActivity] {
        for message in messages {
            for device in pipeline.devicesToRestore(for: message.device, at: now) { try bringBack(device, at: now) }
            let derived = tracer?.trace(message.message) { pipeline.process(message, at: now) }
            egress.publish(derived ?? pipeline.process(message, at: now))
        }
        return pipeline.takeActivities()
    }

    /// Takes note of what other lanes have heard.
    func hear(_ activities: [DeviceActivity], at now: GatewayTime) throws {
        let own = activities.filter { shard.owns($0.device) }
        for activity in own { try bringBack(activity.device, at: now) }
        egress.publish(pipeline.recordActivities(own, at: now))
    }

    /// Runs one of the pipeline's steps that concern all devices.
    func run(_ step: PipelineStep, at now: GatewayTime) throws {
        switch step {
        case .begin: egress.publish(pipeline.begin(at: now))
        case .resume: pipeline.resume(at: now)
        case .tick(let pace): egress.publish(pipeline.tick(at: now, expiring: pace.expiring, firesTimers: pace.firesTimers))
        case .postponeWaits(let seconds): pipeline.postponeWaits(by: seconds, at: now)
        case .replace(let policy):
            for device in pipeline.absentDevices(changedBy: policy) { try bringBack(device, at: now) }
            egress.publish(pipeline.replace(policy: policy, at: now))
        case .restoreRetained:
            for device in pipeline.absentDevices { try bringBack(device, at: now) }
            egress.publish(pipeline.restoreRetained(at: now))
        case .evict(let monotonic): _ = pipeline.evict(notHeardSince: monotonic)
        case .drain: egress.publish(pipeline.drain(at: now))
        case .end: egress.publish(pipeline.end(at: now))
        }
    }

    /// Puts back the states of a gateway before us, those of its own devices.
    func restore(_ stored: [RestoredState], at now: GatewayTime) {
        for stored in stored where shard.owns(stored.device) {
            egress.publish(pipeline.restore(stored.state, of: stored.device, at: now))
        }
        pipeline.doubtRestored()
    }

    /// What has changed since the last checkpoint, ready to be written.
    func takeCheckpoint() throws -> [StateChange] { try pipeline.takeChanges() }

    /// Takes note that the checkpoint taken last is written.
    func noteWritten() { pipeline.noteWritten() }

    /// Takes note that a checkpoint was not written.
    func putBack(_ devices: [DeviceID]) { pipeline.putBack(devices.filter(shard.owns)) }

    private func bringBack(_ device: DeviceID, at now: GatewayTime) throws {
        guard pipeline.isAbsent(device), let store else { return }
        if let state = try store.load(device) {
            egress.publish(pipeline.restore(state, of: device, at: now))
        } else {
            pipeline.forget(device)
        }
    }
}

/// A step that concerns all devices of a pipeline.
package enum PipelineStep: Sendable {
    /// The gateway has started.
    case begin
    /// The broker kept the session of a gateway before us.
    case resume
    /// Time has passed, as far as the lane could have read what is waited for.
    case tick(LanePace)
    /// For so many seconds the lane could not read.
    case postponeWaits(Double)
    /// The operator's policy has changed.
    case replace(AccessPolicy)
    /// The broker has lost what it was to keep.
    case restoreRetained
    /// What was not heard since this instant of the monotonic clock need not be in memory.
    case evict(Double)
    /// Nothing more will come: what waits is processed.
    case drain
    /// The gateway stops.
    case end
}

/// Takes messages to be published, in order, without waiting.
package protocol OutboundSink: Sendable {
    /// Appends messages to what is to be published.
    func publish(_ messages: [OutboundMessage])
}
