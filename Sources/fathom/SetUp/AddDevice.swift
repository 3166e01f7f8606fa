import ArgumentParser
import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import GatewaySetup
import TelemetryModel

/// `fathom device add`: a device in the registry, its account, and its first frames.
struct AddDevice: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a device to the registry, and its account, and print commands that publish its first frames.",
        discussion: """
            The registry keeps its comments and its order; a running gateway reads it again by itself. The account is added, with a \
            random password, if "fathom init" has written the accounts beside the configuration; else the commands for it are printed.
            """)

    @Argument(help: "The device's id: 1 to 64 of A-Z a-z 0-9 _ -. It is also its account and the level of its topics.")
    var id: String

    @OptionGroup var values: DeviceOptions

    @OptionGroup var options: RegistryOptions

    /// The streams of the contract.
    static let streams = StreamName.allCases.map(\.rawValue)

    private func device() throws -> NewDevice { try values.device(id) }

    func validate() throws { _ = try device() }

    func run() throws {
        let (configuration, file) = try options.load()
        let device = try device()
        let accounts = options.accounts
        if options.roles.contains(id) {
            throw Terminal.failure(
                "\(id) is an account of another role in the broker's ACL: a device of that name would have its rights")
        }
        try Terminal.orExit {
            try RegistryFile.locked(file, accounts) { file throws(SetupError) in
                Terminal.writeWhole()
                // The registry last: a device without an account does no harm, but adding it again would be refused.
                _ = try file.text.adding(device)
                try accounts?.add(id)
                try file.change { text throws(SetupError) in try text.adding(device) }
            }
        }
        let registry = try Terminal.orExit { try RegistryFile(file).text.registry }
        let report = AddedDevice(
            id: id, entry: registry.policy(for: id) ?? RegistryEntry(), registryFile: file, configuration: configuration,
            accounts: accounts)
        for line in report.lines { Terminal.line(line) }
    }
}

/// What `fathom device add` prints.
struct AddedDevice {
    let id: String
    let entry: RegistryEntry
    let registryFile: String
    let configuration: GatewayConfiguration
    let accounts: AccountFolder?

    var lines: [String] {
        let root = configuration.gateway.root
        let streams = AddDevice.streams.filter { entry.streams?.contains($0) ?? true }
        let isEntitled = entry.entitlement == .shallow || entry.entitlement == .full
        let allowed = streams.filter { $0 != "submersion" || isEntitled }
        let broker = configuration.mqtt.brokers.first
        let first = FirstFrames(
            device: id, root: root, host: broker?.host ?? configuration.mqtt.host, port: broker?.port ?? configuration.mqtt.port,
            authorities: configuration.mqtt.tls.authorities, secret: accounts?.secret(of: id))
        return ["\(id) is registered in \(registryFile); a running gateway reads it within 5 s."] + account + [
            "It may publish on \(root)/\(id)/in/ and there: \(allowed.joined(separator: ", ")).",
            "", isEntitled ? "A dive to 3 m, to try it:" : "Its status, to try it:", "",
        ]
            + first.commands(measuresDepth: isEntitled && streams.contains("submersion"))
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private var account: [String] {
        guard let accounts else {
            return [
                "Give it an account at the broker, as root:", "  mosquitto_passwd /etc/mosquitto/passwords \(id)",
                "  systemctl reload mosquitto",
            ]
        }
        let added = "Its account is added; the password is in \(accounts.secret(of: id))."
        guard accounts.reloadBroker() else { return [added, "The broker does not run: it reads the account when it starts."] }
        return [added, "The broker has read its accounts again."]
    }
}
