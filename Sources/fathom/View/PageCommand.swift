import ArgumentParser
import FleetPage
import GatewayConfiguration
import GatewayHTTP
import GatewayPipeline
import GatewayRuntime
import Logging
import Mosquitto
import ServiceLifecycle
import TelemetryModel
import UnixSignals

/// `fathom page`: a fleet in a browser.
struct PageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "page",
        abstract: "Serve a page that shows a fleet in a browser.",
        discussion: """
            Connects to the broker as a viewer (page.account) and serves what gateways publish: a table of devices, dive \
            profiles, swings, and what was lost or rejected. It changes nothing. It listens on this machine only, unless \
            page.address and page.tokenFile say otherwise. docs/page.md describes it.
            """)

    @OptionGroup var account: AccountOptions

    @OptionGroup var options: ConfigurationOptions

    @Option(help: "How much to log, on standard error.")
    var logLevel = Logger.Level.notice

    func run() async throws {
        // The gateway's credentials are not needed, and may be readable for its user only.
        let configuration = try options.loadOrExit(connects: false).configuration
        let page = configuration.page
        let connection = try account.applied(to: .viewing(configuration, as: .page), role: "page", of: configuration.gateway.name)
        let clock = SystemGatewayClock()
        let logger = GatewayLogger.make(level: logLevel)
        let startedAt = clock.now.unix.seconds
        let hub = PageHub(
            store: FleetStore(root: configuration.gateway.root), startedAt: startedAt)
        let service = PageService(
            hub: hub, address: page.address, port: page.port, hosts: page.acceptedHosts,
            token: try page.tokenFile.map(PageToken.read), clock: clock, logger: logger)
        let viewer = BrokerViewer(
            client: MosquittoClient(configuration: connection, logger: logger), clock: clock,
            receive: { hub.receive(topic: $0, payload: $1, at: $2) },
            tick: { hub.tick(at: $0, brokerProblem: $1) })
        let port: Int
        do {
            port = try await service.server.start()
        } catch let error as HTTPServerError {
            throw GatewayError("page.address, page.port: \(error)")
        }
        Terminal.error(
            "the page of \(configuration.mqtt.brokerNames) is at "
                + "\(PageAddress.text(host: page.address, port: port))\(page.tokenFile == nil ? "" : "?token=…"); Ctrl-C ends it")
        try await ServiceGroup(
            configuration: .init(
                services: [service as any Service, viewer].map {
                    .init(
                        service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
                        failureTerminationBehavior: .gracefullyShutdownGroup)
                },
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        ).run()
    }
}

/// The address of the page.
enum PageAddress {
    /// What to open in a browser.
    static func text(host: String, port: Int) -> String {
        let name = host == "0.0.0.0" || host == "::" ? "127.0.0.1" : host
        return "http://\(name.contains(":") ? "[\(name)]" : name):\(port)/"
    }
}

/// The token of the page.
enum PageToken {
    /// The token in a file: one line of at least 16 characters.
    static func read(_ file: String) throws -> String {
        let text = try TextFile.read(file)
        let token = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).first.map(String.init) ?? ""
        guard token.count >= 16, token.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-._~".contains($0)) }) else {
            throw GatewayError(
                "page.tokenFile: \(file) must hold one line of at least 16 letters, digits or - . _ ~, such as "
                    + "'openssl rand -hex 16' prints")
        }
        return token
    }
}
