import ArgumentParser
import GatewayConfiguration
import GatewayRuntime
import Logging

/// `fathom run`: the gateway.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run the gateway.",
        discussion: """
            Runs until SIGTERM or SIGINT, then stops reading, publishes what is still held, publishes 'offline' and exits 0. \
            SIGHUP reads the registry again; so does a change of its file. SIGUSR1 hands the devices over: as SIGTERM, but everything that \
            is queued is read before, and the broker keeps nothing more for the gateway afterwards (docs/scale.md).
            """)

    @Flag(
        help: """
            Start although gateway.stateDirectory holds nothing for a session that the broker has kept: what it has queued is derived \
            without the state before it.
            """)
    var withoutState = false

    @Flag(
        help: """
            Subscribe the gateway's sessions, so that the broker keeps what devices publish from now on, and exit. For a gateway that is to \
            take over devices.
            """)
    var subscribeOnly = false

    @Option(
        help: ArgumentHelp(
            "The partitions of devices that the gateway owns, and how many there are (gateway.partition), such as 0-15/64.",
            valueName: "partitions"))
    var partition: String?

    @OptionGroup var options: ConfigurationOptions

    @OptionGroup var logging: LogOptions

    func run() async throws {
        let loaded = try options.setting("gateway.partition", to: partition).loadOrExit()
        let configuration = loaded.configuration
        let logger = logging.logger(configuration.log)
        Gateway.noteCrashes()
        FreedMemory.keep()
        logger.info(
            "fathom starts",
            metadata: [
                "version": "\(GatewayVersion.current)", "configuration": "\(options.file ?? "none")",
                "broker": "\(configuration.mqtt.brokerNames)",
                "devices": "\(loaded.registry.devices.count)",
            ])
        if options.file == nil {
            logger.warning(
                "no configuration file: defaults, the environment and --set are used",
                metadata: ["lookedFor": "\(ConfigurationPlace.lookedFor)"])
        }
        if loaded.registry.devices.isEmpty, loaded.registry.unknownDevices == .deny {
            let file = configuration.registry.file.map { "\($0) lists no device" } ?? "registry.file is not set"
            logger.warning(
                "no device is registered: every frame will be rejected as unknownDevice", metadata: ["reason": "\(file)"])
        }
        try await Gateway(
            configuration: configuration, registry: loaded.registry, producers: loaded.producers, withoutState: withoutState,
            subscribesOnly: subscribeOnly, logger: logger
        ).run(notifying: ServiceManager(environment: Environment.variables))
        logger.info("fathom stopped")
    }
}
