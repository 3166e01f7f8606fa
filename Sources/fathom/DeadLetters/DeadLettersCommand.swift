import ArgumentParser
import GatewayConfiguration
import GatewayRuntime

/// `fathom deadletters`: the frames that were set aside.
struct DeadLettersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deadletters",
        abstract: "List, show and replay the frames that were set aside.",
        discussion: """
            A frame that has crashed the gateway three times is acknowledged unprocessed and kept in the state directory, as a \
            recording of one line. 'replay' processes such a frame in this build; once that does not crash any more, \
            'replay --publish' publishes it for the gateway again. The gateway may run meanwhile. 'list' and 'show' also have the \
            messages of the gateway that the broker refuses, which the gateway publishes by itself once the broker accepts them.
            """,
        subcommands: [ListDeadLetters.self, ShowDeadLetter.self, ReplayDeadLetters.self])
}

/// The options of all commands on dead letters.
struct DeadLetterOptions: ParsableArguments {
    @OptionGroup var options: ConfigurationOptions

    /// The configuration, its registry, and the folder of the state directory that it names.
    func load() throws -> (loaded: ConfigurationOptions.Loaded, folder: DeadLetterFolder) {
        let loaded = try options.loadOrExit(connects: false)
        guard let directory = loaded.configuration.gateway.stateDirectory else {
            throw Terminal.failure(
                "gateway.stateDirectory is not set, so nothing is ever set aside: name the gateway's with --config, "
                    + "or with --set gateway.stateDirectory=...")
        }
        return (loaded, DeadLetterFolder(stateDirectory: directory))
    }

    /// The messages that the broker refuses; nil where there never were any.
    func outbound(_ loaded: ConfigurationOptions.Loaded) throws -> OutboundLetters? {
        try loaded.configuration.gateway.stateDirectory.flatMap { try OutboundLetters(reading: $0) }
    }
}
