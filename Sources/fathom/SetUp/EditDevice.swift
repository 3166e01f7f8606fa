import ArgumentParser
import GatewayConfiguration
import GatewayPipeline
import GatewaySetup
import TelemetryModel

/// `fathom device edit`.
struct EditDevice: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Change what the registry says of a device.",
        discussion: """
            Only what is given is changed; comments and order stay. A running gateway reads the registry again by itself. What the device has \
            afterwards is printed.

            fathom device edit ultra-1 --entitlement full --time-zone Europe/Berlin
            fathom device edit ultra-1 --unset wrist --revoked
            """)

    @Argument(help: "The device.")
    var id: String

    @OptionGroup var values: DeviceOptions

    @Flag(inversion: .prefixedNo, help: "Whether permission was withdrawn: the device is denied, and its history erased.")
    var revoked: Bool?

    @Option(
        help: ArgumentHelp(
            "A key that is removed, so that the registry's default holds: \(RegistryEntry.settableKeys.joined(separator: ", ")). May be repeated.",
            valueName: "key"))
    var unset: [String] = []

    @OptionGroup var options: RegistryOptions

    private func device() throws -> NewDevice {
        var device = try values.device(id)
        device.revoked = revoked
        return device
    }

    func validate() throws {
        let device = try device()
        for key in unset where !RegistryEntry.settableKeys.contains(key) {
            throw ValidationError(
                "--unset: \(key.debugDescription) is no key that can be removed\(NearestKey.hint(for: key, in: RegistryEntry.settableKeys)); "
                    + "there are \(RegistryEntry.settableKeys.joined(separator: ", "))")
        }
        if let key = device.values.map(\.key).first(where: unset.contains) {
            throw ValidationError("\(key) is set and removed: give one of both")
        }
        if device.values.isEmpty, unset.isEmpty {
            throw ValidationError("nothing is to be changed: give an option, such as --entitlement")
        }
    }

    func run() throws {
        let (_, file) = try options.load()
        let device = try device()
        let registry = try Terminal.orExit {
            try RegistryFile.locked(file, nil) { file throws(SetupError) in
                try file.change { text throws(SetupError) in
                    var device = device
                    // Alone it is beside the depth that holds: a list without a depth would take that away.
                    if device.movementDisorder, device.entitlement == nil {
                        device.entitlement = text.registry.policy(for: id)?.entitlement
                    }
                    return try text.editing(device, unset: unset)
                }
                return try RegistryFile(file.path).text.registry
            }
        }
        for line in ShownDevice(id: id, registry: registry).lines { Terminal.line(line) }
    }
}

/// `fathom device show`.
struct ShowDevice: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print what the registry says of a device.",
        discussion:
            "A line for each key, with what comes from the registry's defaults marked. Exit status 1 if it is not registered.")

    @Argument(help: "The device.")
    var id: String

    @OptionGroup var options: RegistryOptions

    func run() throws {
        let (_, file) = try options.load()
        let registry = try Terminal.orExit {
            let text = try RegistryFile(file).text
            try text.requireKnown(id)
            return text.registry
        }
        for line in ShownDevice(id: id, registry: registry).lines { Terminal.line(line) }
        if let accounts = options.accounts {
            Terminal.line("account: \(accounts.has(id) ? accounts.secret(of: id) : "none at the broker")")
        }
    }
}

/// What the registry says of one device, as lines.
struct ShownDevice {
    let id: String
    let registry: Registry

    var lines: [String] {
        let own = registry.devices[id] ?? RegistryEntry()
        let entry = registry.policy(for: id) ?? RegistryEntry()
        func line(_ name: String, _ value: (RegistryEntry) -> String?, without: String) -> String {
            let text = value(entry) ?? without
            return "\(name): \(text)\(value(own) == nil && value(entry) != nil ? " (default)" : "")"
        }
        return [
            "device: \(id)", line("streams", { $0.streams?.joined(separator: ", ") }, without: "all that it has"),
            line("entitlement", { $0.entitlements }, without: "none"),
            line("authorization", { $0.authorization?.rawValue }, without: "as its status says"),
            line("session", { $0.session?.rawValue }, without: "required"),
            line("available", { $0.availability }, without: "as its status says"),
            line("wrist", { $0.wrist?.rawValue }, without: "as its status says"),
            line("consent", { $0.consent.map { $0.isEmpty ? "nothing" : $0.joined(separator: ", ") } }, without: "nothing"),
            line("timeZone", { $0.timeZone }, without: "UTC"), line("model", { $0.model }, without: "not known"),
            line("os", { $0.os }, without: "not known"),
            line("trustDeviceClaims", { $0.trustDeviceClaims.map { "\($0)" } }, without: "false"),
            line("revoked", { $0.revoked.map { "\($0)" } }, without: "false"),
            line("from", { $0.from.map { "\($0.producer), \($0.topic), \($0.id)" } }, without: "its own topics"),
        ]
    }
}

extension RegistryEntry {
    /// Which sensors it has and lacks; nil where nothing is said.
    var availability: String? {
        guard !available.isEmpty else { return nil }
        return available.map { "\($0.key.rawValue): \($0.value)" }.sorted().joined(separator: ", ")
    }

    /// Depth and other entitlements; nil where nothing is said.
    var entitlements: String? {
        let names = [entitlement?.rawValue, movementDisorder == true ? "movementDisorder" : nil].compactMap(\.self)
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }
}
