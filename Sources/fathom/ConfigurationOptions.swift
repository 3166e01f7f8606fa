import ArgumentParser
import GatewayConfiguration
import GatewayRuntime
import Glibc

/// The options of every verb that takes a configuration.
struct ConfigurationOptions: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("The configuration file (YAML).", valueName: "file"))
    var config: String?

    @Option(
        name: .customLong("set"), parsing: .singleValue,
        help: ArgumentHelp(
            "Set one key over file and environment, e.g. --set mqtt.port=1884. May be repeated.", valueName: "key=value"))
    var overrides: [String] = []

    /// The configuration and the registry it names, with every problem of both.
    func load() -> (configuration: GatewayConfiguration, registry: Registry, problems: [ConfigurationProblem]) {
        let environment = Environment.variables
        var (configuration, problems) = GatewayConfiguration.load(
            file: config, environment: environment, overrides: overrides)
        let loaded = configuration.loadRegistry()
        problems += loaded.problems
        return (configuration, loaded.registry ?? Registry(), problems)
    }

    /// The configuration and the registry; their problems go to standard error and end the command.
    func loadOrExit() throws -> (configuration: GatewayConfiguration, registry: Registry) {
        let (configuration, registry, problems) = load()
        guard problems.isEmpty else {
            for problem in problems { Terminal.error("\(problem)") }
            Terminal.error("Nothing was started. 'fathom check' lists all problems of a configuration.")
            throw ExitCode.failure
        }
        return (configuration, registry)
    }
}

/// The process's environment.
enum Environment {
    /// All variables by name.
    static var variables: [String: String] {
        var variables: [String: String] = [:]
        var entry = environ
        while let pair = entry.pointee {
            let text = String(cString: pair)
            if let equals = text.firstIndex(of: "=") {
                variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            entry += 1
        }
        return variables
    }
}
