import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel

/// One lane of several: its pipeline behind its door.
struct TestLane {
    private let settings: PipelineSettings
    private let policy: AccessPolicy
    private var door: AdmissionCheck
    private(set) var pipeline: Pipeline

    /// A lane without any state that carries `streams`.
    init(
        _ streams: Set<StreamName>, settings: PipelineSettings = PipelineHarness.settings,
        policy: AccessPolicy = AccessPolicy(unknown: .everything)
    ) {
        self.settings = settings
        self.policy = policy
        door = AdmissionCheck(
            policy: policy, settings: settings, share: StreamShare(streams: streams, takesUnknown: false))
        pipeline = Pipeline(settings: settings, policy: policy, streams: streams)
    }

    /// Takes messages, each when it came; what is published comes back.
    @discardableResult
    mutating func take(_ messages: [RecordedMessage]) -> [DerivedJSON] {
        messages.flatMap { recorded in
            let now = GatewayTime(unix: UnixTime(recorded.at), monotonic: recorded.at)
            var published: [OutboundMessage] = []
            let known = door.admit(recorded.message, at: now, into: &published)
            for known in known { published += pipeline.process(known, at: now) }
            return published.map(DerivedJSON.init)
        }
    }

    /// Lets time pass to `unix`; what is published comes back.
    mutating func tick(at unix: Double) -> [DerivedJSON] {
        pipeline.tick(at: GatewayTime(unix: UnixTime(unix), monotonic: unix)).map(DerivedJSON.init)
    }

    /// What the lane knows of a device.
    func state(of device: String) -> DeviceState { Identifier(device).flatMap(pipeline.state) ?? DeviceState() }

    /// The lane after a start that gives it other streams, with `state` of a device.
    func started(with streams: Set<StreamName>, _ state: DeviceState, of device: DeviceID, at unix: Double) -> TestLane {
        var lane = TestLane(streams, settings: settings, policy: policy)
        _ = lane.pipeline.restore(state, of: device, at: GatewayTime(unix: UnixTime(unix), monotonic: unix))
        return lane
    }
}
