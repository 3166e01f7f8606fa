import TelemetryModel

/// What all devices of a pipeline share: its settings, its buffers, what it has counted and what it is about to publish.
///
/// Owned by one pipeline and used on one thread at a time.
final class PipelineContext {
    let settings: PipelineSettings
    /// The streams whose derivations are this pipeline's.
    let streams: Set<StreamName>
    let encoder: OutboundEncoder
    let reader: FrameReader
    /// When the broker gave back the session of a gateway before this one.
    var resumedAt: GatewayTime?
    /// What was seen so far.
    var counters = PipelineCounters()
    /// What is to be published, in order.
    var messages: [OutboundMessage] = []
    /// What the pipeline that judges connections is to be given.
    var activities: [DeviceActivity] = []

    /// What the stages did, where that is traced.
    private(set) var reports: [StageReport] = []
    var isTracing = false

    init(settings: PipelineSettings, streams: Set<StreamName>) {
        self.settings = settings
        self.streams = streams
        encoder = OutboundEncoder(
            root: settings.topics.rootPath, configurationFingerprint: settings.configurationFingerprint)
        reader = FrameReader(producers: settings.producers, limits: settings.decode)
    }

    /// Notes what a stage did, where that is traced.
    func report(_ report: @autoclosure () -> StageReport) {
        if isTracing { reports.append(report()) }
    }

    /// What the stages did since the last call.
    func takeReports() -> [StageReport] {
        defer { reports = [] }
        return reports
    }

    /// What was published since the last call.
    func takeMessages() -> [OutboundMessage] {
        defer { messages = [] }
        return messages
    }
}
