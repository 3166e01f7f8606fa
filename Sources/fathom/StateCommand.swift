import ArgumentParser
import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import TelemetryModel

/// `fathom state`: the states of devices, between state directories.
struct StateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state",
        abstract: "Move what is stored of devices to another gateway's state directory, or settle its clock.",
        discussion: """
            'export' and 'import' need the state directory to themselves: they end with exit status 1 while a gateway runs on it. \
            docs/scale.md says how devices are handed over between gateways.
            """,
        subcommands: [ExportState.self, ImportState.self, BelieveClock.self])
}

/// `fathom state believe-clock`.
struct BelieveClock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "believe-clock",
        abstract: "Let the gateway delete by the present wall clock at once.",
        discussion: """
            What is older than history.days is deleted by elapsed time: a step of the wall clock is followed only once it was kept for 24 h of \
            running time. Check the clock of the machine, then run this to end the wait. A gateway that runs does it within seconds.
            """)

    private static let checkSeconds = 0.1
    private static let timeoutSeconds = 30.0

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let configuration = try options.loadOrExit(connects: false).configuration
        guard let directory = configuration.gateway.stateDirectory else {
            throw Terminal.failure("gateway.stateDirectory is not set, so nothing is stored")
        }
        let (clock, request) = (SystemGatewayClock(), ClockRequest(stateDirectory: directory))
        guard StateDirectory.isHeld(directory) else {
            try Terminal.orExit { try StateDirectory.believeClock(directory, at: clock.now) }
            return Terminal.line("the wall clock is believed")
        }
        try Terminal.orExit { try request.make() }
        let deadline = clock.now.monotonic + Self.timeoutSeconds
        while request.isMade, clock.now.monotonic < deadline { try await clock.sleep(seconds: Self.checkSeconds) }
        guard request.isMade else { return Terminal.line("the wall clock is believed") }
        try Terminal.orExit { try request.remove() }
        throw Terminal.failure(
            "the gateway has not answered within \(Int(Self.timeoutSeconds)) s (see its log): nothing is changed")
    }
}

/// `fathom state export`.
struct ExportState: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write everything stored of devices to a file.",
        discussion: """
            States, frames that wait, recorded samples, stored messages and messages that the broker refuses, of the devices that the \
            gateway owns. They stay in the state directory. Frames that were set aside and what was announced to Home Assistant are \
            not exported.
            """)

    @Option(name: .customLong("device"), help: ArgumentHelp("Only this device. May be repeated.", valueName: "id"))
    var devices: [String] = []

    @Option(help: ArgumentHelp("Only devices of these of its partitions, such as 2/4.", valueName: "partitions"))
    var onlyPartitions: String?

    @Option(help: ArgumentHelp("The file to write; it must not exist.", valueName: "file"))
    var output: String

    @Option(help: ArgumentHelp("The partitions that the gateway owns (gateway.partition).", valueName: "partitions"))
    var partition: String?

    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        for device in devices where DeviceID(device) == nil {
            throw ValidationError("'\(device)' is no device id: 1 to 64 of A-Z, a-z, 0-9, '_' and '-'")
        }
        if let onlyPartitions, PartitionSet(onlyPartitions) == nil {
            throw ValidationError("--only-partitions must be partitions and their count, such as 0-3/64")
        }
    }

    func run() async throws {
        let gateway = try StoppedGateway(
            options.setting("gateway.partition", to: partition).loadOrExit(connects: false), makesFolder: false)
        try Terminal.orExit {
            let counts = try gateway.export(
                to: output, devices: devices.isEmpty ? nil : Set(devices.compactMap { DeviceID($0) }),
                partitions: onlyPartitions.flatMap { PartitionSet($0) })
            for part in gateway.dropped.first { Terminal.error("left out: \(part)") }
            if gateway.dropped.count > gateway.dropped.first.count {
                Terminal.error("\(gateway.dropped.count) parts of states could not be read")
            }
            Terminal.line("exported \(counts)")
        }
    }
}

/// `fathom state import`.
struct ImportState: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Add what a file of 'fathom state export' holds to the state directory.",
        discussion: """
            Nothing is changed if a device has state already, or is in a partition that the gateway does not own, or if this build does \
            not read all of it. Several files may be imported one after another.
            """)

    @Argument(help: "The file.")
    var file: String

    @Flag(help: "Replace everything that is stored of the devices in the file.")
    var replace = false

    @Option(help: ArgumentHelp("The partitions that the gateway owns (gateway.partition).", valueName: "partitions"))
    var partition: String?

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let gateway = try StoppedGateway(
            options.setting("gateway.partition", to: partition).loadOrExit(connects: false), makesFolder: true)
        try Terminal.orExit { Terminal.line("imported \(try gateway.import(file, replace: replace))") }
    }
}

extension StoppedGateway {
    /// Opens the state directory of a configuration; a problem goes to standard error and ends the command.
    fileprivate init(_ loaded: ConfigurationOptions.Loaded, makesFolder: Bool) throws {
        self = try Terminal.orExit {
            try StoppedGateway(
                configuration: loaded.configuration, registry: loaded.registry, producers: loaded.producers,
                makesFolder: makesFolder)
        }
    }
}
