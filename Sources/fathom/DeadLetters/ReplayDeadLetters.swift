import ArgumentParser
import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import Glibc
import Logging
import Mosquitto

/// `fathom deadletters replay`: frames that were set aside through the pipeline once more, in this process or in the gateway.
struct ReplayDeadLetters: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Run frames through the pipeline in this process, or publish them again.",
        discussion: """
            Without --publish each frame goes through the pipeline here, as 'fathom replay' would take it, and what it gives is \
            printed: a crash shows the fault, and the gateway is not touched. With --publish each goes to its own topic at the \
            broker (mqtt.host, mqtt.port), not retained, and is removed here once the broker has it. The account is \
            simulate.account of the configuration, or that of --username; it must be allowed to write for the device. Messages that \
            the broker refuses ('out-1') are not replayed: the gateway publishes them by itself once the broker accepts their topics.
            """)

    @Argument(help: "The frames' names, from 'list'.")
    var names: [String] = []

    @Flag(help: "Take all there are, oldest first.")
    var all = false

    @Flag(help: "Publish the frames to the broker, and remove those that it has taken.")
    var publish = false

    @Option(help: ArgumentHelp("How long to wait for the broker to take a frame.", valueName: "seconds"))
    var timeout = 10.0

    @OptionGroup var account: AccountOptions

    @OptionGroup var deadLetters: DeadLetterOptions

    func validate() throws {
        if all, !names.isEmpty { throw ValidationError("name the frames, or say --all, not both") }
        if !all, names.isEmpty { throw ValidationError("name the frames that 'fathom deadletters list' shows, or say --all") }
        guard (0.1...3_600).contains(timeout) else { throw ValidationError("--timeout must be 0.1 to 3600") }
        if !publish, account.username != nil || account.passwordFile != nil || account.passwordVariable != nil {
            throw ValidationError("--username and its password need --publish: without it there is no broker")
        }
    }

    func run() async throws {
        let (loaded, folder) = try deadLetters.load()
        let configuration = loaded.configuration
        if let name = names.first(where: { OutboundLetter.number(in: $0) != nil }) {
            throw GatewayError(
                "\(name) is a message of the gateway, which publishes it by itself once the broker accepts its topic: it is not replayed"
            )
        }
        // Everything is read before anything is done.
        let chosen = try all ? folder.names() : names.uniqued
        let frames = try chosen.map { name throws(GatewayError) in (name, try folder.read(name)) }
        guard publish else { return try runHere(frames.map(\.1), loaded) }
        try account.requireOwn(
            .simulate, beside: .out, in: configuration, with: "that may write for the devices ('simulator' in config/acl)")
        var connection = try account.applied(
            to: .beside(configuration, as: .simulate), as: .simulate, in: configuration)
        // A simulation may be connected with its own.
        connection.clientID = "\(configuration.gateway.name)-deadletters-\(getpid())"
        let publisher = DeadLetterPublisher(
            client: MosquittoClient(configuration: connection, logger: GatewayLogger.make(level: .error)),
            timeoutSeconds: timeout)
        do {
            try await publisher.run(frames) { name throws(GatewayError) in
                try folder.remove(name)
                Terminal.line("\(name) published")
            }
        } catch let error as DeadLetterPublisher.Failure {
            throw Terminal.failure(
                "\(configuration.mqtt.brokerNames): \(error.reason); \(error.left) of \(frames.count) not published"
            )
        }
    }

    /// Each frame has a pipeline of its own, so that the result of one does not depend on another.
    private func runHere(_ frames: [RecordedMessage], _ loaded: ConfigurationOptions.Loaded) throws {
        for frame in frames {
            let replay = try deadLetters.options.replay(loaded)
            replay.take(frame)
            replay.end()
        }
    }
}
