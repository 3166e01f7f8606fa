package import GatewayConfiguration
import GatewayPipeline
package import Logging
import Mosquitto
package import ServiceLifecycle
import TelemetryModel
package import UnixSignals

/// The whole gateway, composed from its configuration. Read this first.
package struct Gateway: Sendable {
    /// The version that status messages and `--version` name.
    package static let version = "0.1.0"

    /// The services in the order of their start; they stop in the reverse order, so ingress stops first and egress last.
    package let services: [any Service]
    private let ingress: MosquittoClient
    private let logger: Logger

    /// Composes a gateway. `configuration` has been loaded without problems, and so has the registry it names.
    package init(
        configuration: GatewayConfiguration, registry: Registry, clock: any GatewayClock = SystemGatewayClock(), logger: Logger
    ) throws(GatewayError) {
        let settings = try PipelineSettings(configuration)
        let encoder = OutboundEncoder(
            root: settings.topics.rootPath, configurationFingerprint: settings.configurationFingerprint)
        let offline = GatewayStatus(gateway: settings.gateway, state: .offline, version: Self.version)
        let egress = Egress(
            client: MosquittoClient(
                configuration: .egress(configuration, will: MQTTMessage(encoder.encode(offline))), logger: logger))
        let workers = Workers(
            settings: settings, policy: AccessPolicy(registry),
            count: configuration.gateway.workers ?? Self.processorCount, egress: egress)
        let status = StatusPublisher(
            template: offline, encoder: encoder, workers: workers, egress: egress, clock: clock)
        ingress = MosquittoClient(configuration: .ingress(configuration), logger: logger)
        services = [
            EgressService(egress: egress, status: status, logger: logger),
            StatusService(
                status: status, egress: egress, intervalSeconds: configuration.gateway.statusSeconds, clock: clock),
            WorkersService(workers: workers, clock: clock, logger: logger),
            RegistryService(configuration: configuration, workers: workers, status: status, clock: clock, logger: logger),
            IngressService(
                client: ingress, workers: workers, egress: egress, status: status,
                settleTimeoutSeconds: configuration.mqtt.settleTimeoutSeconds, clock: clock, logger: logger),
        ]
        self.logger = logger
    }

    /// Waits until the gateway reads what devices publish; false when it stopped before it did.
    package func isReading() async -> Bool { await ingress.isConnected() }

    /// Runs until SIGTERM, SIGINT or a service fails; returns after a clean stop.
    package func run() async throws {
        try await group(signals: [.sigterm, .sigint]).run()
    }

    /// The services as one group that stops on `signals`.
    package func group(signals: [UnixSignal]) -> ServiceGroup {
        ServiceGroup(
            configuration: .init(
                services: services.map {
                    .init(
                        service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
                        failureTerminationBehavior: .gracefullyShutdownGroup)
                },
                gracefulShutdownSignals: signals, logger: logger))
    }
}

/// What keeps a gateway from being composed.
package struct GatewayError: Error, CustomStringConvertible {
    /// What is wrong, and what to do.
    package let description: String

    /// An error with its advice.
    package init(_ description: String) { self.description = description }
}
