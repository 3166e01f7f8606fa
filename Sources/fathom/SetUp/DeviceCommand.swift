import ArgumentParser
import GatewayConfiguration
import GatewayRuntime
import GatewaySetup

/// `fathom device`: the devices of a registry.
struct DeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Add, list, show, change and remove devices.",
        subcommands: [AddDevice.self, ListDevices.self, ShowDevice.self, EditDevice.self, RemoveDevice.self])
}

/// The registry that a configuration names, and the accounts beside it.
struct RegistryOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The configuration file, whose registry.file is changed; without it that of FATHOM_CONFIG, else /etc/fathom/fathom.yaml.",
            valueName: "file"))
    var config: String?

    /// The configuration file; nil where there is none.
    private var file: String? { ConfigurationPlace(config).file }

    /// The configuration, without the files that it names, and the path of its registry. Problems of anything else are left to
    /// 'fathom check'.
    func load() throws -> (configuration: GatewayConfiguration, registryFile: String) {
        let (configuration, problems) = GatewayConfiguration.load(file: file, environment: Environment.variables)
        guard let registry = configuration.registry.file else {
            for problem in problems { Terminal.error("\(problem)") }
            throw Terminal.failure(
                file.map { "\($0): registry.file is not set: there is no registry to change" }
                    ?? "no configuration file: looked for \(ConfigurationPlace.lookedFor)")
        }
        return (configuration, registry)
    }

    /// The accounts, if "fathom init" has written them beside the configuration.
    var accounts: AccountFolder? { file.flatMap(AccountFolder.init(of:)) }

    /// Accounts at the broker that are no device's.
    var roles: [String] { accounts?.roles ?? AccessList(ShippedFiles.acl).users }
}

/// `fathom device list`.
struct ListDevices: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the registered devices: id, entitlement, streams.")

    @OptionGroup var options: RegistryOptions

    func run() throws {
        let (_, file) = try options.load()
        let registry = try Terminal.orExit { try RegistryFile(file).text.registry }
        for id in registry.devices.keys.sorted() {
            let entry = registry.policy(for: id)
            let streams = entry?.streams?.joined(separator: ", ") ?? "all that it has"
            Terminal.line("\(id)  entitlement \(entry?.entitlements ?? "none")  streams: \(streams)")
        }
    }
}

/// `fathom device remove`.
struct RemoveDevice: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a device from the registry, and its account.",
        discussion: """
            A running gateway denies the device at once and clears its retained topics. The account is removed if "fathom init" has \
            written it; an open connection of the device stays open until the broker is restarted.
            """)

    @Argument(help: "The device.")
    var id: String

    @OptionGroup var options: RegistryOptions

    func run() throws {
        let (_, file) = try options.load()
        // Written by hand the registry may have the name of a role, whose account is not the device's.
        let isRole = options.roles.contains(id)
        let accounts = isRole ? nil : options.accounts
        try Terminal.orExit {
            try RegistryFile.locked(file, accounts) { file throws(SetupError) in
                // The registry last: for a device that is not in it nothing is removed, and its account would stay.
                _ = try file.text.removing(id)
                try accounts?.remove(id)
                try file.change { text throws(SetupError) in try text.removing(id) }
            }
        }
        Terminal.line("\(id) is removed from \(file)")
        if isRole { return Terminal.line("The account \(id) stays: it is that of another role in the broker's ACL.") }
        guard let accounts else {
            return Terminal.line(
                "Remove its account: mosquitto_passwd -D /etc/mosquitto/passwords \(id), then restart the broker.")
        }
        Terminal.line("Its account is removed from \(accounts.path)/passwords.")
        Terminal.line(accounts.reloadBroker() ? "The broker has read its accounts again." : "The broker does not run.")
    }
}
