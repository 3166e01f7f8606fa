import CDeployment

/// The files of `config/`, as they were when the program was built.
package enum ShippedFiles {
    /// `config/acl`: the permissions of accounts.
    package static var acl: String { text(deployment_acl()) }
    /// `config/mosquitto.conf`: a broker with accounts, with paths below `/etc/mosquitto` and `/var/lib/mosquitto`.
    package static var mosquitto: String { text(deployment_mosquitto()) }
    /// `config/registry.yaml`: the devices of the demonstration.
    package static var registry: String { text(deployment_registry()) }
    /// `config/producers.yaml`: an example of apps with payloads of their own.
    package static var producers: String { text(deployment_producers()) }

    private static func text(_ bytes: UnsafePointer<CChar>) -> String { String(cString: bytes) }
}
