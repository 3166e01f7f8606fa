extension GatewayConfiguration.MQTT {
    /// Who one connection is to the broker.
    ///
    /// The receiving and the publishing connection need two identities: a broker that takes the client id from the user name or
    /// certificate lets only one of them stay connected otherwise.
    package struct Identity: Sendable, Equatable {
        /// The user name; default none.
        package var username: String?
        /// The password, also when it came from ``passwordFile``; default none.
        package var password: Secret?
        /// The file that holds the password, less one line end; default none. Loading reads it into ``password``.
        package var passwordFile: String?
        /// The client id, 1 to 128 visible characters; default the gateway's name followed by `-in` or `-out`.
        package var clientID: String?
        /// The client certificate, a PEM file; default none. Needs ``keyFile`` and TLS.
        package var certificateFile: String?
        /// The private key of the certificate, an unencrypted PEM file; default none.
        package var keyFile: String?

        /// Makes a section in which every setting has its default.
        package init() {}
    }

    /// How the connections are encrypted; the broker's certificate and name are always verified.
    package struct TLS: Sendable, Equatable {
        /// Whether to use TLS; default false. Naming a certificate without enabling TLS is a problem, not a connection in the clear.
        package var enabled = false
        /// The authorities that may have signed the broker's certificate, a PEM file; default the system's.
        package var caFile: String?

        /// Makes a section in which every setting has its default.
        package init() {}
    }
}

extension GatewayConfiguration.MQTT {
    /// One of the connections to the broker that can have an account of its own.
    package enum Connection: String, Sendable, CaseIterable {
        /// The ones that receive.
        case `in`
        /// The one that receives the motion lane.
        case motion
        /// The one that receives the bulk lane.
        case bulk
        /// The one that publishes.
        case out

        /// Whether it serves one lane only.
        var isOneLane: Bool { self == .motion || self == .bulk }
    }

    /// The identity of a connection.
    package subscript(connection: Connection) -> Identity {
        get {
            switch connection {
            case .in: self.in
            case .motion: motion
            case .bulk: bulk
            case .out: out
            }
        }
        set {
            switch connection {
            case .in: self.in = newValue
            case .motion: motion = newValue
            case .bulk: bulk = newValue
            case .out: out = newValue
            }
        }
    }
}

extension GatewayConfiguration.MQTT.Identity {
    static func settings(_ connection: GatewayConfiguration.MQTT.Connection) -> [Setting] {
        let path = "mqtt.\(connection.rawValue)"
        return [
            Setting(
                "\(path).username", \.mqtt[connection].username, in: .visible,
                whenNull: connection.isOneLane ? "mqtt.in" : "none",
                connection.isOneLane ? "The user name, where the lane has an account of its own" : "The user name"),
            Setting(
                "\(path).password", \.mqtt[connection].password, whenNull: "none",
                "The password; better in its environment variable or a file than here"),
            Setting(
                "\(path).passwordFile", \.mqtt[connection].passwordFile, whenNull: "none", location: .anywhere,
                "The file that holds the password"),
            Setting(
                "\(path).clientID", \.mqtt[connection].clientID, in: .visible,
                whenNull: connection.isOneLane
                    ? "that of mqtt.in and -\(connection.rawValue)" : "gateway.name and -\(connection.rawValue)",
                "The client id; brokers may set the user name in its place"),
            Setting(
                "\(path).certificateFile", \.mqtt[connection].certificateFile, whenNull: "none", location: .readable,
                "The client certificate (PEM)"),
            Setting(
                "\(path).keyFile", \.mqtt[connection].keyFile, whenNull: "none", location: .readable,
                "The private key of the certificate (PEM, not encrypted)"),
        ]
    }
}

extension GatewayConfiguration.MQTT.TLS {
    static let settings: [Setting] = [
        Setting("mqtt.tls.enabled", \.mqtt.tls.enabled, "Whether to use TLS; the broker is always verified"),
        Setting(
            "mqtt.tls.caFile", \.mqtt.tls.caFile, whenNull: "the system's authorities", location: .readable,
            "The authorities that may have signed the broker's certificate (PEM)"),
    ]
}
