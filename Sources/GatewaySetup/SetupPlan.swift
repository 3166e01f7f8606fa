import Foundation

/// What `fathom init` writes; pure but for the passwords.
package struct SetupPlan: Sendable {
    /// A text file.
    package struct File: Sendable, Equatable {
        /// Its path in the folder.
        package var path: String
        package var text: String
        /// Whether only its owner may read it.
        package var isSecret = false
    }

    /// The folder, as an absolute path: the broker resolves relative ones against its working directory.
    package var folder: String
    /// The port of programs on this machine, without TLS.
    package var port: UInt16 = 1883
    /// The port of devices, with TLS; nil without certificates.
    package var tlsPort: UInt16? = 8883
    /// The gateway's name.
    package var gateway = "gateway"
    /// The user that owns the folder, empty for one without a name: a broker started by root would change to another, to whom the folder is closed.
    package var user: String

    package init(folder: String, user: String) {
        self.folder = folder
        self.user = user
    }

    /// The accounts: every user of the ACL.
    package static var accounts: [String] { AccessList(ShippedFiles.acl).users }

    /// The folders to make, for their owner alone.
    package var folders: [String] { [SetupFolder.secrets, SetupFolder.brokerState, SetupFolder.state] }

    /// Every text file but the hashed passwords and the certificates, given the password of each account and the token of operators.
    package func files(passwords: [String: String], operatorToken: String) -> [File] {
        let secrets = passwords.sorted { $0.key < $1.key }.map { account, password in
            File(path: SetupFolder.secret(of: account), text: password + "\n", isSecret: true)
        }
        return [
            File(path: SetupFolder.configuration, text: configuration),
            File(path: SetupFolder.registry, text: Self.registry),
            File(path: SetupFolder.producers, text: ShippedFiles.producers),
            File(path: SetupFolder.acl, text: ShippedFiles.acl),
            File(path: SetupFolder.broker, text: broker),
            File(path: SetupFolder.operatorToken, text: operatorToken + "\n", isSecret: true),
        ] + secrets
    }

    /// The shipped registry up to its first device.
    private static var registry: String {
        let shipped = ShippedFiles.registry
        let head = shipped.range(of: "\ndevices:\n").map { shipped[..<$0.upperBound] } ?? ""
        return head + "  # Devices are added here by hand, or by \"fathom device add ID\".\n"
    }

    /// The shipped configuration of the broker with the folder's paths, ports and user.
    var broker: String {
        // At once: the folder may be in one of those that it replaces.
        let text = ShippedFiles.mosquitto.replacing(/\/(etc|var\/lib)\/mosquitto\//) { path -> String in
            path.1 == "etc" ? "\(folder)/" : "\(folder)/\(SetupFolder.brokerState)/"
        }
        let paragraphs = text.split(separator: "\n\n", omittingEmptySubsequences: false).map(String.init)
        let own = """
            # Written by "fathom init" for this folder.
            \(userLine)pid_file \(folder)/\(SetupFolder.brokerProcess)
            """
        let kept = paragraphs.dropFirst().compactMap { paragraph -> String? in
            guard paragraph.contains("\nlistener 8883\n") else {
                return paragraph.replacing("listener 1883 ", with: "listener \(port) ")
            }
            return tlsPort.map { paragraph.replacing("listener 8883\n", with: "listener \($0)\n") }
        }
        return ([own] + kept).joined(separator: "\n\n")
    }

    /// A user without a name, as in a container, is not root, and the broker stays what it is.
    private var userLine: String {
        guard !user.isEmpty else { return "" }
        return """
            # The user who made it: a broker that root starts would otherwise change to "mosquitto", who cannot read it.
            user \(user)

            """
    }

    private var configuration: String {
        """
        # Written by "fathom init". Every setting with its default: docs/reference/configuration.md. Relative paths start at this folder.
        # "fathom check --config FILE" lists every problem of this file; with --connect it also tries the broker.

        mqtt:
          host: 127.0.0.1
          port: \(port)
          out: { username: gateway-out, passwordFile: \(SetupFolder.secret(of: "gateway-out")) }
          # Claims the gateway's name, so that of two gateways of one name only one runs.
          claim: { username: gateway-claim, passwordFile: \(SetupFolder.secret(of: "gateway-claim")) }

        # A connection and an account for each class of streams, so that a depth alarm does not wait behind motion data.
        lanes:
          safety: { account: { username: gateway-in, passwordFile: \(SetupFolder.secret(of: "gateway-in")) } }
          motion: { account: { username: gateway-motion, passwordFile: \(SetupFolder.secret(of: "gateway-motion")) } }
          bulk: { account: { username: gateway-bulk, passwordFile: \(SetupFolder.secret(of: "gateway-bulk")) } }

        gateway:
          # In fathom/{gateway}/status. Each gateway of a broker needs a name and a state directory of its own.
          name: "\(gateway)"
          # What is known of each device, and frames that were set aside. Without it, state is lost when the process ends.
          stateDirectory: \(SetupFolder.state)
          # Publishes messages on topics of no stream, such as the mistyped in/submersoin, as rejected, where the broker lets them pass (the
          # ACL written here refuses them to devices). The cost: the broker sends every message twice. Set it to false once all devices
          # publish.
          reportUnknownStreams: true

        # Programs with an account like "analyst" in acl can ask for the latest values: docs/requests.md. "fathom request" asks with it.
        requests:
          account: { username: gateway-query, passwordFile: \(SetupFolder.secret(of: "gateway-query")) }
          asker: { username: analyst, passwordFile: \(SetupFolder.secret(of: "analyst")) }

        registry:
          file: \(SetupFolder.registry)

        # Apps with topics and payloads of their own.
        producers:
          file: \(SetupFolder.producers)

        # "fathom page --config FILE" shows the fleet in a browser. Who opens it with the token of this file may acknowledge alarms.
        page:
          account: { username: page, passwordFile: \(SetupFolder.secret(of: "page")) }
          operatorTokenFile: \(SetupFolder.operatorToken)

        # "fathom watch --config FILE" shows it on the terminal. An account of its own: the broker allows each account one connection.
        watch:
          account: { username: watch, passwordFile: \(SetupFolder.secret(of: "watch")) }

        # "fathom notify --config FILE --exec COMMAND" runs a command for each alarm: docs/notify.md.
        notify:
          account: { username: notify, passwordFile: \(SetupFolder.secret(of: "notify")) }
          stateDirectory: \(SetupFolder.notices)

        # "fathom record" and "fathom simulate". The latter writes for every device: remove its account where real devices publish.
        record:
          account: { username: recorder, passwordFile: \(SetupFolder.secret(of: "recorder")) }
        simulate:
          account: { username: simulator, passwordFile: \(SetupFolder.secret(of: "simulator")) }

        """
    }
}
