extension GatewayConfiguration {
    /// Where the registry of devices is, and what overrides it.
    package struct RegistrySource: Sendable, Equatable {
        /// The registry file; default none, which is a registry without devices.
        package var file: String?
        /// The handling of devices that are not in the registry; default what the registry file says, which itself defaults to
        /// `deny`.
        package var unknownDevices: UnknownDevices?
    }
}

extension GatewayConfiguration.RegistrySource {
    static let settings: [Setting] = [
        Setting(
            "registry.file", \.registry.file, whenNull: "no device is known", location: .anywhere,
            "The file that lists the devices"),
        Setting(
            "registry.unknownDevices", \.registry.unknownDevices, whenNull: "what the registry file says",
            "The handling of devices that are not listed"),
    ]
}

extension GatewayConfiguration {
    /// Where the producers file is.
    package struct ProducersSource: Sendable, Equatable {
        /// The producers file; default none: only frames of the wire contract are read.
        package var file: String?
    }
}

extension GatewayConfiguration.ProducersSource {
    static let settings: [Setting] = [
        Setting(
            "producers.file", \.producers.file, whenNull: "only frames of the wire contract are read", location: .anywhere,
            "The file with the apps that publish on topics and in payloads of their own")
    ]
}
