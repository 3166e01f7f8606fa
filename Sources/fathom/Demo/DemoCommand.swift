import ArgumentParser
import FleetSimulator
import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import Logging
import Mosquitto
import ServiceLifecycle
import TelemetryModel
import UnixSignals

/// `fathom demo`: broker, gateway and a simulated fleet on this machine, and a view of what is derived.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Run a demonstration: broker, gateway and a simulated fleet on loopback.",
        discussion: """
            Starts mosquitto on a free loopback port with the rules of config/, the gateway, and four devices: AirPods that \
            are taken out, handed over and put back, a batter, a diver who goes down to 7 m, and a watch without the depth \
            entitlement. Ends by itself; Ctrl-C ends it earlier. It leaves no processes and no files.
            """)

    @Option(help: "How long the demo runs.")
    var seconds = 40.0

    @Option(
        name: .customLong("rules"),
        help: ArgumentHelp(
            "A folder with mosquitto.conf, acl and registry.yaml in place of the program's own.", valueName: "folder"))
    var rulesFolder: String?

    @Flag(help: "Plain lines, as when the output is no terminal.")
    var plain = false

    @Option(help: "Log to standard error, from this level on; without it nothing is logged.")
    var logLevel: Logger.Level?

    func validate() throws {
        if !(seconds > 0) { throw ValidationError("--seconds must be more than 0") }
    }

    func run() async throws {
        let broker = try await DemoBroker(rulesFolder: rulesFolder)
        let clock = SystemGatewayClock()
        let logger = logLevel.map { GatewayLogger.make(level: $0) } ?? Logger(label: "fathom") { _ in SwiftLogNoOpLogHandler() }
        let gateway = try Gateway(
            configuration: broker.gatewayConfiguration, registry: try broker.registry(), clock: clock, logger: logger)
        let viewer = DemoViewer(
            client: MosquittoClient(configuration: broker.connection(of: DemoBroker.viewer, subscribing: true), logger: logger),
            isScreen: Terminal.isInteractive && !plain, plannedSeconds: seconds, clock: clock)
        let fleet = DemoFleet(gateway: gateway, broker: broker, seconds: seconds, clock: clock, logger: logger)

        let services: [any Service] = [viewer] + gateway.services + [fleet]
        do {
            try await ServiceGroup(
                configuration: .init(
                    services: services.map {
                        .init(
                            service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
                            failureTerminationBehavior: .gracefullyShutdownGroup)
                    },
                    gracefulShutdownSignals: [.sigterm, .sigint, .sighup], logger: logger)
            ).run()
        } catch {
            await broker.stop()
            throw error
        }
        await broker.stop()
        await viewer.printSummary()
    }
}

/// The four devices of the demo, each on a connection and an account of its own.
struct DemoFleet: Service {
    let gateway: Gateway
    let broker: DemoBroker
    let seconds: Double
    let clock: any GatewayClock
    let logger: Logger

    /// Runs the fleet once the gateway reads.
    func run() async throws {
        guard await gateway.isReading() else { return }
        let fleet = Fleet.demo(startingAt: clock.now.unix.seconds + 0.3, duration: seconds)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for device in fleet.devices {
                var connection = broker.connection(of: device.origin.device)
                connection.will = MQTTMessage(device.lastWill, root: "wearables")
                let publisher = FleetPublisher(
                    client: MosquittoClient(configuration: connection, logger: logger), fleet: Fleet([device]),
                    root: "wearables", clock: clock)
                group.addTask { try await publisher.run() }
            }
            try await group.waitForAll()
        }
        try? await cancelWhenGracefulShutdown { try await clock.sleep(seconds: 1.5) }
    }
}
