/// The names of what `fathom init` writes, relative to its folder.
package enum SetupFolder {
    package static let configuration = "fathom.yaml"
    package static let registry = "registry.yaml"
    package static let producers = "producers.yaml"
    package static let broker = "mosquitto.conf"
    package static let acl = "acl"
    /// The broker's password file, hashed.
    package static let passwords = "passwords"
    /// A file for each account, with its password.
    package static let secrets = "secrets"
    /// The authority and the broker's certificate.
    package static let certificates = "certs"
    /// The broker's own state.
    package static let brokerState = "broker"
    /// The gateway's state directory.
    package static let state = "state"
    /// Where the broker writes its process id while it runs.
    package static let brokerProcess = "mosquitto.pid"

    /// The file with the password of an account.
    package static func secret(of account: String) -> String { "\(secrets)/\(account)" }
}
