import ArgumentParser
import GatewayConfiguration
import GatewayRuntime
import Logging
import Mosquitto

/// `fathom record`: what devices publish, into a recording.
struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record what devices publish, for 'replay'.",
        discussion: """
            Reads the 'in' topics beside the gateway, on a connection of its own, until Ctrl-C. The account is record.account of the \
            configuration, or that of --username, with the gateway's rights to read; never the gateway's own, whose connection the broker \
            would end.
            """)

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The recording, which is not there yet; standard output if not given.", valueName: "file"))
    var output = "-"

    @Flag(
        help:
            "Write frames in Protocol Buffers as JSON, from which the gateway derives the same. They are not kept byte for byte.")
    var json = false

    @OptionGroup var account: AccountOptions

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        // The gateway's credentials are not needed.
        let loaded = try options.loadOrExit(connects: false)
        let configuration = loaded.configuration
        try account.requireOwn(
            .record, beside: .lane(.safety), in: configuration, with: "with the rights of 'recorder' in config/acl")
        let connection = try account.applied(
            to: .tap(configuration, producers: loaded.producers), as: .record, in: configuration)
        let logger = GatewayLogger.make(configuration.log, least: .notice)
        let file = try OutputFile(path: output, existing: .isRefused)
        let recorder = RecordService(
            client: MosquittoClient(configuration: connection, logger: logger), file: file,
            clock: SystemGatewayClock(), inJSON: json)
        Terminal.error("recording from \(configuration.mqtt.brokerNames); Ctrl-C ends it")
        try await runUntilSignal([recorder], logger: logger)
    }
}
