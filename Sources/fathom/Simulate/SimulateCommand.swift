import ArgumentParser
import FleetSimulator
import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import GatewaySetup
import Glibc
import Logging
import Mosquitto
import TelemetryModel

/// `fathom simulate`: a fleet of simulated devices.
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Publish realistic frames of simulated devices, or write them to a recording.",
        discussion: """
            The devices take the kinds in turn and are named after them: pods-1, batter-1, ultra-1, watch-1, runner-1, pods-2... \
            The same seed gives the same frames; those that are published have new boot ids each time, as of devices that were \
            started again. The broker is the one of the configuration (mqtt.host, mqtt.port); the account is simulate.account of the \
            configuration, or that of --username, never the gateway's, and must be allowed to write for every device ('simulator' in \
            config/acl).
            """)

    @Option(
        help: ArgumentHelp(
            "Kinds of devices, separated by commas: headphones, batter, diver, watch, runner, lifter, boxer, yogi, athlete, sleeper.",
            valueName: "list"))
    var kinds = "headphones,batter,diver,watch,runner"

    @Option(name: [.customLong("count"), .customLong("devices")], help: "How many devices there are in all.")
    var count = 5

    @Option(
        name: [.customLong("duration"), .customLong("seconds")],
        help: ArgumentHelp("How long they run; without it until Ctrl-C.", valueName: "seconds"))
    var duration: Double?

    @Option(help: "The seed of the random numbers.")
    var seed: UInt64 = 1

    @Option(help: "The encoding of the frames: json, protobuf, or protobuf-packed with columns as scaled integers.")
    var encoding = SimulatedEncoding.json

    @Flag(help: "Devices without fusion: raw acceleration and rotation rate in place of attitude, gravity and user acceleration.")
    var raw = false

    @Option(
        help: ArgumentHelp(
            "The constant error of the gyroscopes of raw devices, each about an axis of its own; by default 0.01.",
            valueName: "rad/s"))
    var gyroscopeBias: Double?

    @Option(
        help: ArgumentHelp(
            "Write a recording instead of publishing, and replace one that is there; '-' is standard output.", valueName: "file"))
    var record: String?

    @Option(help: ArgumentHelp("When the first device comes online; now if not given.", valueName: "unix seconds"))
    var start: Double?

    @OptionGroup var account: AccountOptions

    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        guard (1...10_000).contains(count) else { throw ValidationError("--count must be 1 to 10000") }
        let kinds = try list()
        if let start, !RecordedMessage.recordable.contains(start) {
            throw ValidationError("--start must be Unix seconds between 1970 and 2100")
        }
        if let start, let kind = kinds.first(where: { start < $0.earliestStart }) {
            throw ValidationError(
                "--start must be at least \(Int(kind.earliestStart)): a \(kind.rawValue) sends dates, which begin in 2001")
        }
        if let duration, !(duration > 0) { throw ValidationError("--duration must be more than 0") }
        if gyroscopeBias != nil, !raw { throw ValidationError("--gyroscope-bias needs --raw") }
        if let gyroscopeBias, !(0...1).contains(gyroscopeBias) { throw ValidationError("--gyroscope-bias must be 0 to 1") }
        if record != nil, duration?.isFinite != true { throw ValidationError("--record needs --duration: a recording must end") }
        // Devices come online within a second.
        let end = (start ?? SystemGatewayClock().now.unix.seconds) + 1 + (duration ?? 0)
        if record != nil, !RecordedMessage.recordable.contains(end) {
            throw ValidationError("a recording may not end after 2100")
        }
    }

    func run() async throws {
        let clock = SystemGatewayClock()
        let kinds = try list()
        // A gateway that knows the boots of an earlier run would take their frames for repeated ones. A recording has the boots of its seed.
        let fleet = Fleet(
            kinds: kinds, count: count, startingAt: start ?? clock.now.unix.seconds, duration: duration, seed: seed,
            run: record == nil ? .random(in: 1 ... .max) : 0, rawBias: raw ? gyroscopeBias ?? 0.01 : nil)
        let loaded = try options.loadOrExit(connects: false, searches: record == nil)
        let configuration = loaded.configuration
        let root = configuration.gateway.root
        if let record { return try write(fleet, to: record, root: root) }

        try account.requireOwn(
            .simulate, beside: .out, in: configuration, with: "that may write for every device ('simulator' in config/acl)")
        let connection = try account.applied(
            to: .beside(configuration, as: .simulate), as: .simulate, in: configuration)
        if let warning = unregistered(fleet, in: loaded.registry) { Terminal.error("warning: \(warning)") }
        let logger = GatewayLogger.make(configuration.log, least: .notice)
        Terminal.error("publishing \(count) devices to \(configuration.mqtt.brokerNames); Ctrl-C ends it")
        let publisher = FleetPublisher(
            client: MosquittoClient(configuration: connection, logger: logger), fleet: fleet, root: root,
            encoding: encoding, clock: clock)
        try await runUntilSignal([publisher], logger: logger)
    }

    /// What becomes of devices that the registry does not have; nil where all are known.
    private func unregistered(_ fleet: Fleet, in registry: Registry) -> String? {
        let devices = fleet.devices.map(\.origin.device)
        let unknown = devices.filter { registry.policy(for: $0) == nil }
        // Without a configuration it is not known what the gateway has registered.
        guard let first = unknown.first, let file = options.file else { return nil }
        let program = ShellWord.program
        return
            "\(unknown.count) of \(devices.count) devices are not registered, and the gateway rejects their frames as unknownDevice: "
            + "\(unknown.prefix(5).joined(separator: ", "))\(unknown.count > 5 ? " and others" : ""). Register each with "
            + "'\(program) device add \(first) --entitlement full --config \(ShellWord.quoted(file))'"
    }

    private func list() throws -> [DeviceKind] {
        do throws(FleetError) {
            return try DeviceKind.list(kinds)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    private func write(_ fleet: Fleet, to path: String, root: String) throws {
        let file = try OutputFile(path: path, existing: .isReplaced)
        let encoder = SimulatedMessageEncoder(encoding)
        let splitter = JSONSplitter()
        var written = 0
        for message in fleet {
            let line =
                encoding == .json
                ? RecordingLine.encode(message, root: root)
                : RecordedMessage(at: message.at, message: encoder.encode(message, root: root)).line(splitter)
            try file.write(line.last == 0x0A ? line : line + [0x0A])
            written += 1
        }
        try file.close()
        Terminal.error("\(written) messages of \(count) devices")
    }
}
