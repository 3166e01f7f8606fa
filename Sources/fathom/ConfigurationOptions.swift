import ArgumentParser
import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import Glibc

/// The options of every command that takes a configuration.
struct ConfigurationOptions: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("The configuration file (YAML).", valueName: "file"))
    var config: String?

    @Option(
        name: .customLong("set"), parsing: .singleValue,
        help: ArgumentHelp(
            "Set one key over file and environment, e.g. --set mqtt.port=1884. May be repeated.", valueName: "key=value"))
    var overrides: [String] = []

    /// A configuration, and the files it names.
    struct Loaded {
        var configuration: GatewayConfiguration
        var registry: Registry
        var producers: Producers
    }

    /// The configuration alone.
    func loadSettings() -> (configuration: GatewayConfiguration, problems: [ConfigurationProblem]) {
        GatewayConfiguration.load(file: config, environment: Environment.variables, overrides: overrides)
    }

    /// These options with one more setting over all others; nil changes nothing.
    func setting(_ path: String, to value: String?) -> Self {
        var options = self
        if let value { options.overrides.append("\(path)=\(value)") }
        return options
    }

    /// The configuration and the files it names, with every problem of all.
    func load() -> (loaded: Loaded, problems: [ConfigurationProblem]) {
        let (configuration, problems) = loadSettings()
        let (producers, producerProblems) = Producers.load(configuration)
        let (registry, registryProblems) = configuration.loadRegistry(for: producers)
        return (
            Loaded(configuration: configuration, registry: registry ?? Registry(), producers: producers),
            problems + producerProblems + registryProblems
        )
    }

    /// The configuration and the files it names; their problems go to standard error and end the command. A command that does not
    /// connect to the broker passes false: it needs no credentials, so it does not report those that cannot be read.
    func loadOrExit(connects: Bool = true) throws -> Loaded {
        let (loaded, allProblems) = load()
        let problems = allProblems.filter { connects || !$0.concernsConnectionsOnly }
        guard problems.isEmpty else {
            for problem in problems { Terminal.error("\(problem)") }
            Terminal.error("Nothing was started. 'fathom check' lists all problems of a configuration.")
            throw ExitCode.failure
        }
        return loaded
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
