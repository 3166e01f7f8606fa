import ArgumentParser
import Foundation
import GatewayConfiguration
import GatewayRuntime

/// `fathom check`: every problem of a configuration, its producers and its registry at once.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "List every problem of a configuration, its producers and its registry.",
        discussion: """
            Reads what 'run' would read and starts nothing. Exit status 1 if there is any problem. A password file, certificate or \
            key that this user cannot read is a note: only 'run' needs it, as its own user.
            """)

    @Flag(
        help: """
            Also try the broker and the state directory: accounts, subscriptions, deliveries, rights to publish. Uses the gateway's \
            own sessions and acknowledges nothing; the gateway must not run.
            """)
    var connect = false

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let (loaded, found) = options.load()
        let notes = found.filter { !connect && $0.concernsConnectionsOnly }
        let problems = found.filter { !notes.contains($0) }
        for problem in problems { Terminal.line("\(problem)") }
        for note in notes { Terminal.line("note: \(note)") }
        guard problems.isEmpty else {
            Terminal.line("\(problems.count) problem\(problems.count == 1 ? "" : "s")")
            throw ExitCode.failure
        }
        if connect { try await tryConnections(loaded) }
        try printUnreadable(in: loaded.configuration.gateway.stateDirectory)
        Terminal.line(
            "no problems: \(loaded.registry.devices.count) devices registered, unknown devices "
                + "\(loaded.registry.unknownDevices.rawValue), "
                + "broker \(loaded.configuration.mqtt.brokerNames)")
    }

    /// Prints the parts of a state directory that this version would leave out: not a problem of the configuration, but relevant
    /// before an upgrade.
    private func printUnreadable(in directory: String?) throws {
        guard let directory, FileManager.default.fileExists(atPath: directory) else { return }
        for line in try StoredParts.unreadable(inDirectory: directory) { Terminal.line("state: \(line)") }
    }
}
