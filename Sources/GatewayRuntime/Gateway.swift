package import GatewayConfiguration
package import GatewayPipeline
package import Logging
import Mosquitto
package import ServiceLifecycle
import TelemetryModel
package import UnixSignals

/// The whole gateway, composed from its configuration.
package struct Gateway: Sendable {
    /// The services in the order of their start; they stop in the reverse order, so ingress stops first and egress last.
    package let services: [any Service]
    private let reading: Gate
    private let logger: Logger

    /// Composes a gateway. `configuration` has been loaded without problems, and so have the registry and the producers it names.
    /// Throws when the state directory cannot be used, or another gateway uses it.
    package init(
        configuration: GatewayConfiguration, registry: Registry, producers: Producers = Producers(),
        clock: any GatewayClock = SystemGatewayClock(), logger: Logger
    ) throws(GatewayError) {
        let settings = try PipelineSettings(configuration, producers: producers)
        let directory = try configuration.gateway.stateDirectory.map { path throws(GatewayError) in
            try StateDirectory(path: path, logger: logger)
        }
        let instance = Heartbeat.Instance(
            id: String(UInt64.random(in: .min ... .max), radix: 36), started: clock.now.unix.seconds)
        let encoder = OutboundEncoder(settings)
        var offline = GatewayStatus(gateway: settings.gateway, state: .offline, version: Self.version)
        offline.instance = instance.id
        let egress = Egress(
            client: MosquittoClient(
                configuration: .egress(configuration, will: MQTTMessage(encoder.encode(offline))), logger: logger))
        let lanes = LaneRegistry(admission: Admission(policy: AccessPolicy(registry), settings: settings))
        let status = StatusPublisher(
            template: offline, encoder: encoder, lanes: lanes, egress: egress, directory: directory, clock: clock)
        let check = InstanceCheck(
            gateway: configuration.gateway.name, instance: instance, configuration: .look(configuration, instance: instance),
            clock: clock, logger: logger)
        let reading = Gate()
        services = [
            EgressService(egress: egress, check: check, status: status, logger: logger),
            StatusService(
                status: status, egress: egress, intervalSeconds: configuration.gateway.statusSeconds, clock: clock),
            RegistryService(
                configuration: configuration, producers: producers, lanes: lanes, status: status, clock: clock, logger: logger),
            LaneSupervisor(
                composer: LaneComposer(
                    configuration: configuration, settings: settings, instance: instance, lanes: lanes, egress: egress,
                    status: status, directory: directory, clock: clock, logger: logger),
                reading: reading),
        ]
        self.reading = reading
        self.logger = logger
        if directory == nil {
            logger.notice("gateway.stateDirectory is not set: device state is lost when this process ends")
        }
    }

    /// Waits until the gateway reads what devices publish; false when it stopped before it did.
    package func isReading() async -> Bool { await reading.wait() }

    /// Installs the handlers that record the frame on which this process crashes, for its next start.
    package static func noteCrashes() { FrameTracer.install() }

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

/// Why a gateway cannot be composed.
package struct GatewayError: Error, CustomStringConvertible {
    /// What is wrong, and what to do.
    package let description: String

    /// An error with its advice.
    package init(_ description: String) { self.description = description }
}
