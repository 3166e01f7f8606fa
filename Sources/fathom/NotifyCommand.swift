import ArgumentParser
import GatewayConfiguration
import GatewayRuntime
import Logging
import Mosquitto
import GatewayPipeline

/// `fathom notify`: a command for each alarm.
struct NotifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify",
        abstract: "Run a command for each alarm that is raised or cleared, to tell somebody.",
        discussion: """
            Connects to the broker with an account of its own (notify.account), whose session the broker keeps. The command is run by \
            /bin/sh with the alarm message as JSON on its standard input and in its environment: FATHOM_ALARM_TEXT (a line for a \
            person), _ID, _DEVICE, _LEVEL, _NAME, _SEVERITY, _STATE, _SINCE, _CLEARED_AT, _VALUE, _SOURCE_KIND, _FIELD, _COUNT and _TOPIC. \
            With exit status 0 somebody is told. Otherwise it is run again, after pauses that grow to 60 s for critical alarms and to \
            300 s for others; alarms wait in notify.stateDirectory. A command that runs again has the same FATHOM_ALARM_ID. docs/notify.md has \
            commands for ntfy, mail, webhooks and Apprise.

            fathom notify --severity critical --exec 'curl -fsS -d "$FATHOM_ALARM_TEXT" https://ntfy.sh/TOPIC'
            """)

    @Option(name: .customLong("exec"), help: ArgumentHelp("The command, for /bin/sh.", valueName: "command"))
    var command: String

    @Option(help: "The least severity of which somebody is told: critical, warning or info.")
    var severity = AlarmSeverity.warning

    @Option(help: ArgumentHelp("How long the command may run.", valueName: "seconds"))
    var timeout = 30.0

    @OptionGroup var options: ConfigurationOptions

    @OptionGroup var logging: LogOptions

    func validate() throws {
        guard !command.allSatisfy(\.isWhitespace) else { throw ValidationError("--exec is empty: name a command") }
        guard (0.1...3_600).contains(timeout) else { throw ValidationError("--timeout must be 0.1 to 3600") }
    }

    func run() async throws {
        // The gateway's credentials are not needed, and may be readable for its user only.
        let configuration = try options.loadOrExit(connects: false).configuration
        guard let folder = configuration.notify.stateDirectory else {
            throw Terminal.failure(
                "notify.stateDirectory is not set: alarms wait in this folder until somebody is told. Set it in the configuration, or with "
                    + "--set notify.stateDirectory=FOLDER")
        }
        let logger = logging.logger(configuration.log)
        let plan = NotifyPlan(
            command: command, severity: severity, limitSeconds: timeout, folder: folder, root: configuration.gateway.root,
            // Settings may hold passwords.
            environment: Environment.variables.filter { !$0.key.hasPrefix("FATHOM_") })
        let service = try NotifyService(
            client: MosquittoClient(configuration: .notifying(configuration), logger: logger), plan: plan, logger: logger)
        logger.notice(
            "notify starts",
            metadata: [
                "broker": "\(configuration.mqtt.brokerNames)", "severity": "\(severity.rawValue)", "stateDirectory": "\(folder)",
            ])
        try await runUntilSignal([service], logger: logger)
    }
}

extension AlarmSeverity: ExpressibleByArgument {}
