import ArgumentParser
import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import Logging
import Mosquitto
import TelemetryModel

/// `fathom watch`: a fleet on the terminal.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show a fleet on the terminal: devices, and what happens.",
        discussion: """
            Connects to the broker as a viewer (watch.account, or --username; else page.account) and shows what gateways publish, \
            until Ctrl-C: alarms above all, then devices in danger. The terminal's bell rings once for each critical alarm that is raised. Where standard output is no terminal it prints a line per event. Where the broker \
            makes the account the client id (config/mosquitto.conf does), give it an account of its own: with the account of \
            'fathom page' each connection ends the other.
            """)

    @Flag(help: "Plain lines, as when the output is no terminal.")
    var plain = false

    @Flag(inversion: .prefixedNo, help: "Ring the terminal's bell for each critical alarm that is raised.")
    var bell = true

    @OptionGroup var account: AccountOptions

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let configuration = try options.loadOrExit(connects: false).configuration
        let connection = try account.applied(
            to: .viewing(configuration, as: configuration.watchAccount), as: .watch, in: configuration)
        let clock = SystemGatewayClock()
        let logger = Logger(label: "fathom") { _ in SwiftLogNoOpLogHandler() }
        let screen = LiveScreen(
            isScreen: Terminal.isInteractive && !plain, hasBell: bell, root: configuration.gateway.root,
            startedAt: clock.now.unix.seconds, silentSeconds: configuration.gateway.silentSeconds)
        let viewer = BrokerViewer(
            client: MosquittoClient(configuration: connection, logger: logger), clock: clock,
            receive: { screen.receive(topic: $0, payload: $1, at: $2) },
            note: { now, problem in screen.note(connectionProblem: problem, at: now) }, tick: { screen.draw(at: $0) })
        Terminal.error("watching \(configuration.mqtt.brokerNames); Ctrl-C ends it")
        screen.enter()
        defer { screen.leave() }
        try await runUntilSignal([viewer], andHangup: true, logger: logger)
    }
}
