import GatewayPipeline
import TelemetryModel

/// The settings of gateways, with the fingerprint that all of them share: computing it costs more than a run.
struct FuzzRules {
    let settings: PipelineSettings
    let fingerprint: Fingerprint

    init(_ settings: PipelineSettings) {
        self.settings = settings
        fingerprint = Fingerprint(of: settings, streams: Set(StreamName.allCases))
    }
}
