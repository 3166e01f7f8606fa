package import GatewayPipeline

extension GatewayConfiguration {
    /// Reads a configuration from a YAML file, then the environment, then `KEY=VALUE` texts; each source overrides the one
    /// before.
    ///
    /// - Parameters:
    ///   - file: The file; nil for none. Relative paths in it start at its folder; those from elsewhere at the working folder.
    ///   - environment: All variables. Those that start with `FATHOM_` must name settings: `FATHOM_REGISTRY_UNKNOWN_DEVICES` is
    ///     `registry.unknownDevices`. On a platform that sets such variables for a service called `fathom` this must be disabled.
    ///   - overrides: The arguments of `--set`; of two with one key the later is used.
    /// - Returns: The configuration and every problem at once. A setting with a problem keeps its earlier value.
    /// - Important: Do not run on a configuration with problems. It is returned so that its registry can be checked too.
    package static func load(
        file: String?, environment: [String: String] = [:], overrides: [String] = []
    ) -> (configuration: GatewayConfiguration, problems: [ConfigurationProblem]) {
        var reader = ConfigurationReader()
        if let file { reader.read(file: file) }
        reader.read(environment: environment)
        reader.read(overrides: overrides)
        reader.finish()
        return (reader.configuration, reader.problems)
    }

    /// The problems of the same sources that concern only programs beside the gateway: files that are missing, and a folder that is the gateway's.
    package static func problemsOfOthers(
        file: String?, environment: [String: String] = [:], overrides: [String] = []
    ) -> [ConfigurationProblem] {
        var reader = ConfigurationReader()
        if let file { reader.read(file: file) }
        reader.read(environment: environment)
        reader.read(overrides: overrides)
        return reader.problemsOfOthers
    }

    /// Reads the registry that this configuration names, where `registry.unknownDevices` overrides the file's own.
    ///
    /// - Returns: The registry, empty if no file is named and nil if there is any problem, and every problem at once.
    package func loadRegistry() -> (registry: Registry?, problems: [ConfigurationProblem]) {
        var (registry, problems) = registry.file.map { Registry.load(file: $0) } ?? (Registry(), [])
        if let unknownDevices = self.registry.unknownDevices { registry?.unknownDevices = unknownDevices }
        return (registry, problems)
    }

    /// Reads the producers file that this configuration names.
    ///
    /// - Returns: Its content, nil if no file is named or there is any problem, and every problem at once.
    package func loadProducers() -> (tree: ConfigurationTree?, problems: [ConfigurationProblem]) {
        producers.file.map { ConfigurationTree.load(file: $0) } ?? (nil, [])
    }
}
