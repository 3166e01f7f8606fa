import GatewayConfiguration
import Logging
import NatsKeyValue

extension KeyValueBucket {
    /// The bucket that a configuration names; nil where it names no servers.
    convenience init?(_ configuration: GatewayConfiguration) {
        let keyValue = configuration.keyValue
        guard !keyValue.addresses.isEmpty else { return nil }
        var settings = NatsSettings(
            servers: keyValue.addresses.map { .init(host: $0.host, port: $0.port) }, name: configuration.gateway.name)
        settings.username = keyValue.username
        settings.password = keyValue.password?.reveal
        settings.usesTLS = keyValue.tls.enabled
        settings.authoritiesFile = keyValue.tls.caFile
        settings.timeoutSeconds = keyValue.timeoutSeconds
        self.init(keyValue.bucket ?? "fathom-\(configuration.gateway.name)", replicas: keyValue.replicas, settings)
    }
}

extension StateReplica {
    /// The copy that a configuration asks for; nil where it names no servers.
    convenience init?(
        _ configuration: GatewayConfiguration, ownership: Ownership, directory: StateDirectory, clock: any GatewayClock,
        logger: Logger
    ) {
        guard let bucket = KeyValueBucket(configuration) else { return nil }
        self.init(bucket, ownership: ownership, machine: directory.machine, clock: clock, logger: logger)
    }
}

extension ConnectionCheck {
    /// Whether the key-value store can be used, which makes the bucket where there is none; nothing where none is set. Each server is tried.
    func keyValue() async -> [Finding] {
        var findings: [Finding] = []
        for address in configuration.keyValue.addresses {
            var only = configuration
            only.keyValue.servers =
                address.host.contains(":") ? "[\(address.host)]:\(address.port)" : "\(address.host):\(address.port)"
            guard let bucket = KeyValueBucket(only) else { continue }
            do {
                try await BlockingCall.run { try bucket.make() }
                findings.append(
                    Finding(.ok, "keyValue.servers", "the bucket \(bucket.name) at \(only.keyValue.servers ?? "") can be used"))
            } catch {
                findings.append(Finding(.problem, "keyValue.servers", "\(error)"))
            }
        }
        return findings
    }
}
