import CDeployment

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
    /// The file with the token of those who may acknowledge alarms on the page.
    package static let operatorToken = "\(secrets)/page-operator.token"
    /// The authority and the broker's certificate.
    package static let certificates = "certs"
    /// The broker's own state.
    package static let brokerState = "broker"
    /// The gateway's state directory.
    package static let state = "state"
    /// The state directory of `fathom notify`.
    package static let notices = "notify"
    /// Where the broker writes its process id while it runs.
    package static let brokerProcess = "mosquitto.pid"

    /// The file with the password of an account.
    package static func secret(of account: String) -> String { "\(secrets)/\(account)" }
}

/// Why a set-up step cannot be done.
package struct SetupError: Error, Equatable, CustomStringConvertible {
    /// What is wrong, and what to do.
    package let description: String

    package init(_ description: String) { self.description = description }
}

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
