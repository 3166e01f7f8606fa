import ArgumentParser
import FleetPage
import GatewayConfiguration
import GatewayHTTP
import GatewayPipeline
import GatewayRuntime
import Logging
import Mosquitto
import TelemetryModel

/// `fathom page`: a fleet in a browser.
struct PageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "page",
        abstract: "Serve a page that shows a fleet in a browser.",
        discussion: """
            Connects to the broker as a viewer (page.account) and serves what gateways publish: a table of devices, dive \
            profiles, swings, alarms, earlier days, and what was lost or rejected. It listens on this machine only, unless \
            page.address and page.tokenFile say otherwise. Who opens it with the token of page.operatorTokenFile may acknowledge \
            alarms; it changes nothing else. docs/page.md describes it.
            """)

    @OptionGroup var account: AccountOptions

    @OptionGroup var options: ConfigurationOptions

    @Option(
        help: "The least severe lines that are logged, on standard error; without it notices, or less where log.level says so.")
    var logLevel: Logger.Level?

    func run() async throws {
        // The gateway's credentials are not needed, and may be readable for its user only.
        let configuration = try options.loadOrExit(connects: false).configuration
        let page = configuration.page
        let clock = SystemGatewayClock()
        let logger = GatewayLogger.make(configuration.log, level: logLevel, least: .notice)
        let user = account.username ?? page.account.username ?? "page"
        let connection = try PageConnection(
            root: configuration.gateway.root, user: user, perSecond: configuration.requests.perSecond,
            silentSeconds: configuration.gateway.silentSeconds, clock: clock, logger: logger
        ) { replies in
            try account.applied(
                to: .viewing(configuration, as: .page, optional: [replies]), as: .page, in: configuration)
        }
        let operatorToken = try page.operatorTokenFile.map { try PageToken.read($0, of: "page.operatorTokenFile") }
        let access = PageAccess(
            hosts: page.acceptedHosts, token: try page.tokenFile.map { try PageToken.read($0, of: "page.tokenFile") },
            operators: operatorToken.map { .token($0) } ?? .nobody)
        let service = PageService(
            hub: connection.hub, address: page.address, port: page.port, access: access, requests: connection.requests,
            days: Double(configuration.history.days), clock: clock, logger: logger)
        let port: Int
        do {
            port = try await service.server.start()
        } catch let error as HTTPServerError {
            throw GatewayError("page.address, page.port: \(error)")
        }
        Terminal.error(
            "the page of \(configuration.mqtt.brokerNames) is at "
                + "\(PageAddress.text(host: page.address, port: port))\(page.tokenFile == nil ? "" : "?token=…"); Ctrl-C ends it")
        if let file = page.operatorTokenFile {
            Terminal.error("to acknowledge alarms, open it once with /?token= and the token in \(file)")
        }
        try await runUntilSignal([service, connection.viewer()], logger: logger)
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

/// The tokens of the page.
enum PageToken {
    /// The token in the file of a setting: one line of at least 16 characters.
    static func read(_ file: String, of setting: String) throws -> String {
        let text = try TextFile.read(file)
        let token = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).first.map(String.init) ?? ""
        guard token.count >= 16, token.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-._~".contains($0)) }) else {
            throw GatewayError(
                "\(setting): \(file) must hold one line of at least 16 letters, digits or - . _ ~, such as "
                    + "'openssl rand -hex 16' prints")
        }
        return token
    }
}
