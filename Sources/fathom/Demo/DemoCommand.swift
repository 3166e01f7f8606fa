import ArgumentParser
import FleetPage
import FleetSimulator
import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import Logging
import Mosquitto
import ServiceLifecycle
import TelemetryModel

/// `fathom demo`: broker, gateway and a simulated fleet on this machine, and a view of what is derived.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Run a demonstration: broker, gateway and a simulated fleet on loopback.",
        discussion: """
            Starts mosquitto on a free loopback port with the rules of config/, the gateway, and five devices: AirPods that \
            are taken out, handed over and put back, a batter, a diver who goes down to 7 m, a watch without the depth \
            entitlement, and a runner. Serves the fleet page and metrics meanwhile, at the addresses that it prints, and answers requests. Ends by \
            itself; Ctrl-C ends it earlier. \
            It leaves no processes and no files.
            """)

    @Option(help: "How long the demo runs.")
    var seconds = 40.0

    @Flag(help: "Run until Ctrl-C, so that there is time for the page in a browser.")
    var keep = false

    @Option(
        help: ArgumentHelp(
            "The port of the page on 127.0.0.1; if not given 8600, or a free one where that is taken.", valueName: "port"))
    var pagePort: Int?

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
        if let pagePort, !(0...65_535).contains(pagePort) { throw ValidationError("--page-port must be 0 to 65535") }
    }

    func run() async throws {
        // Ended by a signal before the services run, the program would leave the broker's files.
        Terminal.noteSignals()
        let broker = try await DemoBroker(rulesFolder: rulesFolder)
        do {
            try await run(with: broker)
        } catch {
            await broker.stop()
            throw error
        }
    }

    private func run(with broker: DemoBroker) async throws {
        let clock = SystemGatewayClock()
        let logger = logLevel.map { GatewayLogger.make(level: $0) } ?? Logger(label: "fathom") { _ in SwiftLogNoOpLogHandler() }
        let configuration = broker.gatewayConfiguration
        let gateway = try Gateway(
            configuration: configuration, registry: try broker.registry(), clock: clock, logger: logger)
        let metrics = MonitorService(monitor: gateway.monitor, address: "127.0.0.1", port: 0, logger: logger)
        let metricsAddress = "\(try await metrics.start())/metrics"
        let connection = PageConnection(
            root: "wearables", user: DemoBroker.viewer, perSecond: configuration.requests.perSecond,
            silentSeconds: configuration.gateway.silentSeconds, clock: clock, logger: logger
        ) { replies in
            broker.connection(
                of: DemoBroker.viewer, subscribing: ["wearables/+/out/#", "fathom/+/status", "fathom/+/rejected", replies])
        }
        let page = try await DemoPage(connection, port: pagePort, clock: clock, logger: logger)
        let screen = LiveScreen(
            isScreen: Terminal.isInteractive && !plain, root: "wearables", startedAt: clock.now.unix.seconds,
            silentSeconds: configuration.gateway.silentSeconds, plannedSeconds: keep ? nil : seconds,
            notes: ["in a browser: \(page.address)", "metrics: \(metricsAddress)", "the latest values of a diver:"]
                + broker.request)
        let viewer = connection.viewer(
            receive: { screen.receive(topic: $0, payload: $1, at: $2) }, tick: { screen.draw(at: $0) })
        let fleet = DemoFleet(
            gateway: gateway, broker: broker, seconds: keep ? Self.endlessSeconds : seconds, clock: clock, logger: logger)

        if Terminal.endNotingSignals() { return await broker.stop() }
        let length = Int(exactly: seconds).map(String.init) ?? "\(seconds)"
        Terminal.line(keep ? "Ctrl-C ends the demo." : "The demo ends after \(length) s; with --keep it runs until Ctrl-C.")
        Terminal.line("The fleet page is at \(page.address).")
        Terminal.line("Metrics and health are at \(metricsAddress).")
        Terminal.line("Ask for the latest values of a diver, from another terminal:")
        for line in broker.request { Terminal.line("  \(line)") }
        screen.enter()
        defer { screen.leave() }
        try await runUntilSignal([page.service, metrics, viewer] + gateway.services + [fleet], andHangup: true, logger: logger)
        screen.leave()
        await broker.stop()
        screen.printSummary()
        for line in Self.nextSteps { Terminal.line(line) }
    }

    /// Longer than any demo.
    private static let endlessSeconds = 1e8

    private static let nextSteps = [
        "", "Next:",
        "  fathom demo --keep         until Ctrl-C, to look at the page in a browser",
        "                             (make demo ARGS=--keep)",
        "  fathom init my-fleet       your own configuration, with broker and accounts",
        "                             (docs/getting-started.md)",
        "  fathom page, fathom watch  the same views of any broker (docs/page.md)",
    ]
}

/// The devices of the demo, each on a connection and an account of its own.
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
                connection.will = MQTTMessage(SimulatedMessageEncoder(.json).encode(device.lastWill, root: "wearables"))
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
