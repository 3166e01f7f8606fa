package import GatewayPipeline

/// Owns the state of a share of the devices; one call at a time, so every device's messages keep their order.
///
/// What comes out is handed to egress within the call: two calls can never publish in another order than they ran.
package actor PipelineWorker {
    private var pipeline: Pipeline
    private let egress: any OutboundSink

    /// A worker for the devices of `shard`.
    package init(settings: PipelineSettings, policy: AccessPolicy, shard: Pipeline.Shard, egress: any OutboundSink) {
        pipeline = Pipeline(settings: settings, policy: policy, shard: shard)
        self.egress = egress
    }

    /// What was seen so far, and how many devices hold state.
    package var snapshot: (counters: PipelineCounters, devices: Int) { (pipeline.counters, pipeline.deviceCount) }

    /// Takes messages in order.
    package func process(_ messages: [KnownMessage], at now: GatewayTime) {
        for message in messages { egress.publish(pipeline.process(message, at: now)) }
    }

    /// Runs one of the pipeline's steps that concern all devices.
    package func run(_ step: PipelineStep, at now: GatewayTime) {
        switch step {
        case .begin: egress.publish(pipeline.begin(at: now))
        case .resume: pipeline.resume(at: now)
        case .tick: egress.publish(pipeline.tick(at: now))
        case .replace(let policy): egress.publish(pipeline.replace(policy: policy, at: now))
        case .drain: egress.publish(pipeline.drain(at: now))
        case .end: egress.publish(pipeline.end(at: now))
        }
    }
}

/// A step that concerns all devices of a pipeline.
package enum PipelineStep: Sendable {
    /// The gateway has started.
    case begin
    /// The broker kept the session of a gateway before us.
    case resume
    /// Time has passed.
    case tick
    /// The operator's policy has changed.
    case replace(AccessPolicy)
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
