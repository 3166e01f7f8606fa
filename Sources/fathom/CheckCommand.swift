import ArgumentParser
import Foundation
import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import GatewaySetup

/// `fathom check`: every problem of a configuration, its producers and its registry at once.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "List every problem of a configuration, its producers and its registry.",
        discussion: """
            Reads what 'run' would read and starts nothing. Exit status 1 if there is any problem. A password file, certificate or \
            key that this user cannot read, or whose folder is not on this machine, is a note: only 'run' needs it, as its own user. A file \
            'acl' beside the configuration, as 'fathom init' writes it, is read too: whether it lets the gateway read every topic of \
            producers.file.
            """)

    @Flag(
        help: """
            Also try the broker and the state directory: accounts, subscriptions, deliveries, rights to publish. Uses the gateway's \
            own sessions and acknowledges nothing; the gateway must not run.
            """)
    var connect = false

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let (loaded, all) = options.load()
        let found = all + options.problemsOfOthers + accessProblems(loaded)
        let notes = found.filter { !connect && $0.dependsOnUser }
        let problems = found.filter { !notes.contains($0) }
        for problem in problems { Terminal.line("\(problem)") }
        for note in notes { Terminal.line("note: \(note)") }
        guard problems.isEmpty else {
            Terminal.line("\(problems.count) problem\(problems.count == 1 ? "" : "s")")
            throw ExitCode.failure
        }
        if connect { try await tryConnections(loaded) }
        try printUnreadable(in: loaded.configuration.gateway.stateDirectory)
        if options.file == nil { Terminal.line("note: no configuration file: looked for \(ConfigurationPlace.lookedFor)") }
        Terminal.line(
            "no problems: \(loaded.registry.devices.count) devices registered, unknown devices "
                + "\(loaded.registry.unknownDevices.rawValue), "
                + "broker \(loaded.configuration.mqtt.brokerNames)")
    }

    /// Topics of the producers file that the ACL beside the configuration lets no lane read.
    private func accessProblems(_ loaded: ConfigurationOptions.Loaded) -> [ConfigurationProblem] {
        guard let file = options.file, let producers = loaded.configuration.producers.file else { return [] }
        let path = URL(filePath: file).deletingLastPathComponent().appending(path: SetupFolder.acl).path
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
        let access = AccessList(text)
        var problems: [ConfigurationProblem] = []
        for subscription in loaded.producers.subscriptions {
            let lane = GatewayConfiguration.Lanes.Name(of: subscription.stream)
            guard let user = loaded.configuration.identity(of: lane).username, !access.mayRead(subscription.filter, as: user)
            else { continue }
            let problem = ConfigurationProblem(
                "", source: .file(producers),
                "has the topic \(subscription.filter), which \(path) does not let \(user) read, so the broker delivers nothing of it: add "
                    + "\"topic read \(subscription.filter)\" below \"user \(user)\" there, and reload the broker")
            if !problems.contains(problem) { problems.append(problem) }
        }
        return problems
    }

    /// Prints the parts of a state directory that this version would leave out: not a problem of the configuration, but relevant
    /// before an upgrade.
    private func printUnreadable(in directory: String?) throws {
        guard let directory, FileManager.default.fileExists(atPath: directory) else { return }
        for line in try StoredParts.unreadable(inDirectory: directory) { Terminal.line("state: \(line)") }
    }
}
