package import GatewayPipeline
package import GatewayRuntime
import TelemetryModel

/// The pipeline with its admission check and a clock that the test sets.
package struct PipelineHarness {
    /// The admission check.
    package var admission: AdmissionCheck
    /// The pipeline.
    package var pipeline: Pipeline
    private var now = GatewayTime(unix: UnixTime(0), monotonic: 0)

    /// Settings with a gateway of some name. An unchanged depth state is not published again: most tests are about changes.
    package static var settings: PipelineSettings {
        var settings = PipelineSettings(gateway: name)
        settings.derive[SubmersionDerivation.self].refreshSeconds = 0
        return settings
    }

    private static let name = Identifier("test") ?? fallback
    private static var fallback: Identifier { preconditionFailure("'test' is an identifier") }

    /// A pipeline for `policy`; by default every device may do everything. Stored histories are read from `history`.
    package init(
        settings: PipelineSettings = PipelineHarness.settings, policy: AccessPolicy = AccessPolicy(unknown: .everything),
        history: (any HistoryReader)? = nil
    ) {
        admission = AdmissionCheck(policy: policy, settings: settings)
        pipeline = Pipeline(settings: settings, policy: policy, history: history)
    }

    /// Settings with the producers of a file that holds `section` under the name of one.
    package static func settings(producer: String, _ section: [String: String]) throws -> PipelineSettings {
        var problems: [TreeProblem] = []
        let options = ConfigurationTree(
            path: producer, line: nil,
            value: .table(section.mapValues { ConfigurationTree(path: producer, line: nil, value: .text($0)) }))
        var settings = settings
        settings.producers = Producers(
            ConfigurationTree(path: "", line: nil, value: .table([producer: options])), problems: &problems)
        if let problem = problems.first { throw problem }
        return settings
    }

    /// A policy for one registered device that sends by way of a producer.
    package static func policy(
        _ device: String, topic: String, id: String, _ policy: DevicePolicy = .everything
    ) -> AccessPolicy {
        var access = self.policy(device, policy)
        access.senders = Identifier(device).map { [.bound(topic: topic, id: id): $0] } ?? [:]
        return access
    }

    /// A policy for one registered device.
    package static func policy(_ device: String = "d1", _ policy: DevicePolicy) -> AccessPolicy {
        AccessPolicy(devices: Identifier(device).map { [$0: policy] } ?? [:])
    }

    /// Sends one message at its `at`, as a replay does; what is published comes back. Without `firesTimers` as a lane does that is
    /// behind.
    package mutating func send(_ recorded: RecordedMessage, firesTimers: Bool = true) -> [DerivedJSON] {
        now = GatewayTime(unix: UnixTime(recorded.at), monotonic: max(now.monotonic, recorded.at))
        var notAdmitted: [OutboundMessage] = []
        let known = admission.admit(recorded.message, at: now, into: &notAdmitted)
        for known in known { pipeline.holdTimers(of: known.device, at: now) }
        let before = pipeline.tick(at: now, firesTimers: firesTimers).map(DerivedJSON.init)
        let processed = known.flatMap { pipeline.process($0, at: now, firesTimers: firesTimers) }
        return before + (notAdmitted + processed).map(DerivedJSON.init)
    }

    /// Sends several messages.
    package mutating func send(_ recorded: [RecordedMessage]) -> [DerivedJSON] { recorded.flatMap { send($0) } }

    /// Advances the time to `at`; reports of histories go on for so many `steps`.
    package mutating func tick(at: Double, steps: Int = .max) -> [DerivedJSON] {
        now = GatewayTime(unix: UnixTime(at), monotonic: max(now.monotonic, at))
        return pipeline.tick(at: now, while: Self.allowing(steps)).map(DerivedJSON.init)
    }

    /// True so many times.
    package static func allowing(_ steps: Int) -> () -> Bool {
        var left = steps
        return {
            left -= 1
            return left >= 0
        }
    }

    /// Replaces the policy of admission check and pipeline.
    package mutating func replace(policy: AccessPolicy) -> [DerivedJSON] {
        admission.policy = policy
        return pipeline.replace(policy: policy, at: now).map(DerivedJSON.init)
    }

    /// Starts, or ends, the gateway.
    package mutating func begin(at: Double, changesOwner: Bool = false) -> [DerivedJSON] {
        now = GatewayTime(unix: UnixTime(at), monotonic: at)
        return pipeline.begin(at: now, changesOwner: changesOwner).map(DerivedJSON.init)
    }

    /// Resumes a session whose broker may deliver frames again.
    @discardableResult
    package mutating func awaitRedelivery(at: Double) -> [DerivedJSON] {
        now = GatewayTime(unix: UnixTime(at), monotonic: at)
        return pipeline.awaitRedelivery(at: now, extendsWaits: true).map(DerivedJSON.init)
    }

    /// Resumes the session of a gateway before.
    @discardableResult
    package mutating func resume(at: Double, holdsStates: Bool = false) -> [DerivedJSON] {
        now = GatewayTime(unix: UnixTime(at), monotonic: at)
        return pipeline.resume(at: now, holdsStates: holdsStates).map(DerivedJSON.init)
    }

    /// Ends the gateway as a clean stop does, or a stop that hands its devices over.
    package mutating func end(changesOwner: Bool = false) -> [DerivedJSON] {
        (pipeline.drain(at: now) + pipeline.end(at: now, changesOwner: changesOwner)).map(DerivedJSON.init)
    }
}

extension PipelineSettings {
    /// Those of a harness but for what `change` sets.
    package static func with(_ change: (inout PipelineSettings) -> Void) -> PipelineSettings {
        var settings = PipelineHarness.settings
        change(&settings)
        return settings
    }
}

extension DevicePolicy {
    /// Everything but for what `change` sets.
    package static func with(_ change: (inout DevicePolicy) -> Void) -> DevicePolicy {
        var policy = everything
        change(&policy)
        return policy
    }
}

extension Lane {
    /// Takes messages whose topics are not read yet.
    package func process(_ batch: [InboundMessage], at now: GatewayTime, firesTimers: Bool = true) throws {
        try process(batch.map { ($0, nil) }, at: now, firesTimers: firesTimers)
    }
}
