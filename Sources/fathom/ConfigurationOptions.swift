import ArgumentParser
import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import Glibc

/// The options of every command that takes a configuration.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The configuration file (YAML); without it that of FATHOM_CONFIG, else /etc/fathom/fathom.yaml where there is one.",
            valueName: "file"))
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

    /// The configuration alone. Without `searches` only a file that was named is read.
    func loadSettings(searches: Bool = true) -> (configuration: GatewayConfiguration, problems: [ConfigurationProblem]) {
        let place = ConfigurationPlace(config)
        return GatewayConfiguration.load(
            file: searches ? place.file : place.named, environment: Environment.variables, overrides: overrides)
    }

    /// Password files of programs beside the gateway that are missing.
    var problemsOfOthers: [ConfigurationProblem] {
        GatewayConfiguration.problemsOfOthers(file: file, environment: Environment.variables, overrides: overrides)
    }

    /// The configuration file that is read; nil where there is none.
    var file: String? { ConfigurationPlace(config).file }

    /// These options with one more setting over all others; nil changes nothing.
    func setting(_ path: String, to value: String?) -> Self {
        var options = self
        if let value { options.overrides.append("\(path)=\(value)") }
        return options
    }

    /// The configuration and the files it names, with every problem of all.
    func load(searches: Bool = true) -> (loaded: Loaded, problems: [ConfigurationProblem]) {
        let (configuration, problems) = loadSettings(searches: searches)
        let (producers, producerProblems) = Producers.load(configuration)
        let (registry, registryProblems) = configuration.loadRegistry(for: producers)
        return (
            Loaded(configuration: configuration, registry: registry ?? Registry(), producers: producers),
            problems + producerProblems + registryProblems
        )
    }

    /// The configuration and the files it names; their problems go to standard error and end the command. A command that does not
    /// connect to the broker passes false: it needs no credentials, so it does not report those that cannot be read.
    func loadOrExit(connects: Bool = true, searches: Bool = true) throws -> Loaded {
        let (loaded, allProblems) = load(searches: searches)
        let problems = allProblems.filter { connects || !$0.concernsConnectionsOnly }
        guard problems.isEmpty else {
            for problem in problems { Terminal.error("\(problem)") }
            throw Terminal.failure("Nothing was started. 'fathom check' lists all problems of a configuration.")
        }
        return loaded
    }
}

/// Where the configuration is.
struct ConfigurationPlace {
    private static let variable = "FATHOM_CONFIG"
    private static let usual = "/etc/fathom/fathom.yaml"
    /// What is looked for, in order.
    static let lookedFor = "--config FILE, \(variable) and \(usual)"

    /// The file that the command line or the environment names.
    let named: String?

    /// A place, with the value of --config.
    init(_ option: String?) {
        let variable = Environment.variables[Self.variable].flatMap { $0.isEmpty ? nil : $0 }
        named = option ?? variable
    }

    /// The file that is named, else the usual one where it is there. With an empty variable only a file that is named.
    var file: String? {
        if let named { return named }
        guard Environment.variables[Self.variable] == nil, access(Self.usual, F_OK) == 0 else { return nil }
        return Self.usual
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
