import ArgumentParser
import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import TelemetryModel

/// `fathom erase`: everything that the gateway has stored of devices.
struct EraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Erase everything that the gateway has stored of devices.",
        discussion: """
            Recorded samples, messages kept for requests, state, dead letters, and the retained messages at the broker. The gateway \
            does it while it runs; the command ends once it is on disk. Needs no account, but the right to write in the state directory: \
            on the gateway's machine, as its user. Exit status 0 when all of it is erased. Otherwise the request stays, and is \
            carried out when the gateway runs, and the broker is connected and accepts the device's topics. If one of the devices is not known, \
            neither by the registry nor in the state directory, nothing is erased, and the exit status is 1.

            A device that may still send begins anew with its next message: set revoked: true in its registry entry, or remove the \
            entry, before. Recordings of 'fathom record', and what the broker or other programs have stored, are not erased.
            """)

    @Argument(help: "The ids of the devices. They need not be in the registry any more.")
    var devices: [String]

    @Option(help: ArgumentHelp("How long to wait until they are erased.", valueName: "seconds"))
    var timeout = 30.0

    @OptionGroup var options: ConfigurationOptions

    private static let checkSeconds = 0.1

    func validate() throws {
        for device in devices where DeviceID(device) == nil {
            throw ValidationError("'\(device)' is no device id: 1 to 64 of A-Z, a-z, 0-9, '_' and '-'")
        }
        guard (0.1...3_600).contains(timeout) else { throw ValidationError("--timeout must be 0.1 to 3600") }
    }

    /// The devices, each once.
    private var ids: [DeviceID] { devices.compactMap { DeviceID($0) }.uniqued }

    /// The devices that neither the registry nor the state directory knows.
    private func unknownDevices(_ loaded: ConfigurationOptions.Loaded) throws -> [DeviceID] {
        let settings = try PipelineSettings(loaded.configuration, producers: loaded.producers)
        let check = AdmissionCheck(
            policy: AccessPolicy(loaded.registry, of: loaded.configuration.gateway.partition), settings: settings)
        let encoder = OutboundEncoder(settings)
        return try ids.filter { device in
            guard loaded.registry.devices["\(device)"] == nil else { return false }
            guard let directory = loaded.configuration.gateway.stateDirectory else { return true }
            return try Terminal.orExit {
                try !StoredDevices.contains(device, inDirectory: directory, topicPrefix: encoder.topic("", of: device)) {
                    check.device(of: $0) == device
                }
            }
        }
    }

    func run() async throws {
        let loaded = try options.loadOrExit(connects: false)
        let configuration = loaded.configuration
        let unknown = try unknownDevices(loaded)
        for device in unknown {
            let hint = NearestKey.hint(for: "\(device)", in: loaded.registry.devices.keys)
            Terminal.error("no such device: \(device) is not in the registry, and nothing is stored of it\(hint)")
        }
        if !unknown.isEmpty {
            if unknown.count < ids.count { Terminal.error("nothing is erased: leave out what is not known") }
            throw ExitCode.failure
        }
        guard let directory = configuration.gateway.stateDirectory else {
            throw Terminal.failure(
                "gateway.stateDirectory is not set, so nothing is stored: name the gateway's with --config, "
                    + "or with --set gateway.stateDirectory=...")
        }
        let requests = ErasureRequests(stateDirectory: directory)
        var left = ids
        do {
            for device in left { try requests.add(device) }
        } catch {
            throw Terminal.failure("\(error)")
        }
        guard StateDirectory.isHeld(directory) else {
            throw Terminal.failure(
                "the gateway does not run: the request stays in \(directory), and is carried out after its next start")
        }
        let clock = SystemGatewayClock()
        let deadline = clock.now.monotonic + timeout
        while !left.isEmpty, clock.now.monotonic < deadline {
            let erased = left.filter { !requests.contains($0) }
            for device in erased { Terminal.line("\(device) erased") }
            left.removeAll { erased.contains($0) }
            if !left.isEmpty { try await clock.sleep(seconds: Self.checkSeconds) }
        }
        guard left.isEmpty else {
            let letters = try? OutboundLetters(reading: directory)
            let encoder = OutboundEncoder(try PipelineSettings(configuration))
            for device in left {
                let refused = (try? letters?.clearing(prefix: encoder.topic("", of: device))) ?? []
                let reason = ErasureRequests.problem(refused).map { "\($0); the request stays" }
                Terminal.error("\(device) is not erased yet: \(reason ?? "the request stays (see the gateway's log)")")
            }
            throw ExitCode.failure
        }
    }
}
