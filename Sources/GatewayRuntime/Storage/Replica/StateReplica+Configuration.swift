import GatewayConfiguration
import Logging
import NatsKeyValue

extension NatsSettings {
    /// The servers of the key-value store that a configuration names; nil where it names none.
    init?(_ configuration: GatewayConfiguration) {
        let keyValue = configuration.keyValue
        guard !keyValue.addresses.isEmpty else { return nil }
        self.init(
            servers: keyValue.addresses.map { .init(host: $0.host, port: $0.port) }, name: configuration.gateway.name)
        username = keyValue.username
        password = keyValue.password?.reveal
        usesTLS = keyValue.tls.enabled
        authoritiesFile = keyValue.tls.caFile
        timeoutSeconds = keyValue.timeoutSeconds
        maximumMegabytes = keyValue.maximumMegabytes
    }
}

extension KeyValueBucket {
    /// The gateway's bucket at the servers of `settings`.
    convenience init(_ configuration: GatewayConfiguration, at settings: NatsSettings) {
        let keyValue = configuration.keyValue
        self.init(keyValue.bucket ?? "fathom-\(configuration.gateway.name)", replicas: keyValue.replicas, settings)
    }
}

extension StateReplica {
    /// The copy that a configuration asks for; nil where it names no servers.
    convenience init?(
        _ configuration: GatewayConfiguration, ownership: Ownership, directory: StateDirectory, clock: any GatewayClock,
        logger: Logger
    ) {
        guard let settings = NatsSettings(configuration) else { return nil }
        let bucket = KeyValueBucket(configuration, at: settings)
        self.init(FencedBucket(bucket, ownership: ownership, machine: directory.machine, clock: clock), logger: logger)
    }
}
