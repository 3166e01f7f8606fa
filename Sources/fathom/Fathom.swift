import ArgumentParser
import GatewayRuntime

/// The command line, a file per command.
@main
struct Fathom: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fathom",
        abstract: "An MQTT gateway for wearable motion and submersion telemetry.",
        discussion: """
            Devices publish frames on {root}/{device}/in/{stream}; Fathom publishes what it derives on \
            {root}/{device}/out/{kind}: depth states, dives, swings, head poses, connections.

            Start with 'fathom demo': it needs nothing but mosquitto, and shows everything at work.
            """,
        version: GatewayVersion.current,
        subcommands: [
            InitCommand.self, DeviceCommand.self, CertificatesCommand.self, RunCommand.self, HealthCommand.self,
            CheckCommand.self, ReplayCommand.self, RecordCommand.self, SimulateCommand.self, ImportCommand.self,
            ExportCommand.self, ExplainCommand.self, DeadLettersCommand.self, EraseCommand.self, StateCommand.self,
            RequestCommand.self, PageCommand.self, WatchCommand.self, NotifyCommand.self, DemoCommand.self,
        ])

    /// Runs the command that the arguments name. An error that ends it is printed as every other line is: it may hold foreign text.
    static func main() async {
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            let code = exitCode(for: error)
            guard code != .success else { exit(withError: error) }
            let message = fullMessage(for: error)
            // How a command is used takes several lines; of any other error a line feed is foreign text.
            if code == .validationFailure {
                Terminal.error(lines: message)
            } else if !message.isEmpty {
                Terminal.error(message)
            }
            exit(withError: code)
        }
    }
}
