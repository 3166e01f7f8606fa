import ArgumentParser
import GatewayConfiguration

/// `fathom check`: every problem of a configuration, its producers and its registry at once.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "List every problem of a configuration, its producers and its registry.",
        discussion: "Reads what 'run' would read and starts nothing. Exit status 1 if there is any problem.")

    @OptionGroup var options: ConfigurationOptions

    func run() throws {
        let (loaded, problems) = options.load()
        for problem in problems { Terminal.line("\(problem)") }
        guard problems.isEmpty else {
            Terminal.line("\(problems.count) problem\(problems.count == 1 ? "" : "s")")
            throw ExitCode.failure
        }
        Terminal.line(
            "no problems: \(loaded.registry.devices.count) devices registered, unknown devices "
                + "\(loaded.registry.unknownDevices.rawValue), "
                + "broker \(loaded.configuration.mqtt.host):\(loaded.configuration.mqtt.port)")
    }
}
