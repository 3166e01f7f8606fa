extension GatewayConfiguration.MQTT {
    /// An account at the broker, and how to prove it.
    ///
    /// The receiving and the publishing connection need two: a broker that takes the client id from the user name or certificate lets
    /// only one of them stay connected otherwise.
    package struct Identity: Sendable, Equatable {
        /// The user name; default none.
        package var username: String?
        /// The password, also when it came from ``passwordFile``; default none.
        package var password: Secret?
        /// The file that holds the password, less one line end; default none. Loading reads it into ``password``.
        package var passwordFile: String?
        /// The client id, 1 to 128 visible characters; for its default see ``GatewayConfiguration/clientID(of:)``.
        package var clientID: String?
        /// The client certificate, a PEM file; default none. Needs ``keyFile`` and TLS.
        package var certificateFile: String?
        /// The private key of the certificate, an unencrypted PEM file; default none.
        package var keyFile: String?

        /// Makes a section in which every setting has its default.
        package init() {}

        /// Whether it names an account, by user name or certificate.
        package var isNamed: Bool { username != nil || certificateFile != nil }
    }

    /// How the connections are encrypted; the broker's certificate and name are always verified.
    package struct TLS: Sendable, Equatable {
        /// Whether to use TLS; default false. Naming a certificate without enabling TLS is a problem, not a connection in the clear.
        package var enabled = false
        /// The authorities that may have signed the broker's certificate, a PEM file; default the system's.
        package var caFile: String?

        /// The file with the authorities that are trusted; nil without TLS.
        package var authorities: String? { enabled ? caFile ?? "/etc/ssl/certs/ca-certificates.crt" : nil }
    }
}

extension GatewayConfiguration {
    /// One of the accounts at the broker.
    package enum Account: Sendable, Hashable, CaseIterable {
        /// The account of the connection that receives a lane's streams.
        case lane(Lanes.Name)
        /// The account of the connection that publishes.
        case out
        /// The account of the connection that claims the gateway's name, before the others connect.
        case claim
        /// The account of the connection that receives and answers requests.
        case requests
        /// The account of the fleet page, which is a process of its own.
        case page
        /// The account of `fathom watch`, a process of its own too.
        case watch
        /// The account of `fathom notify`, whose session the broker keeps.
        case notify
        /// The account of `fathom record`.
        case record
        /// The account of `fathom simulate`.
        case simulate
        /// The account of `fathom request`.
        case asker

        /// The accounts of the gateway, in the order of the lanes, then those that publish, claim and answer requests.
        package static let allCases = Lanes.Name.allCases.map(lane) + [.out, .claim, .requests]
        /// The accounts of programs beside the gateway.
        package static let others: [Account] = [.page, .watch, .notify, .record, .simulate, .asker]

        /// The path of its section, what its client id ends with, and where its identity is.
        fileprivate var place: (path: String, ending: String, identity: WritableKeyPath<GatewayConfiguration, MQTT.Identity>) {
            switch self {
            case .lane(.safety): ("lanes.safety.account", "in", \.lanes[.safety].account)
            case .lane(let name): ("lanes.\(name.rawValue).account", name.rawValue, \.lanes[name].account)
            case .out: ("mqtt.out", "out", \.mqtt.out)
            case .claim: ("mqtt.claim", "claim", \.mqtt.claim)
            case .requests: ("requests.account", "query", \.requests.account)
            case .page: ("page.account", "page", \.page.account)
            case .watch: ("watch.account", "watch", \.watch.account)
            case .notify: ("notify.account", "notify", \.notify.account)
            case .record: ("record.account", "record", \.record.account)
            case .simulate: ("simulate.account", "simulate", \.simulate.account)
            case .asker: ("requests.asker", "request", \.requests.asker)
            }
        }

        /// The path of its section.
        package var path: String { place.path }

        /// What its client id ends with, behind the gateway's name or the client id of the safety lane.
        var ending: String { place.ending }

        /// The account used without a user name: the other lanes use the safety lane's account, claims that which publishes.
        fileprivate var fallback: String? {
            switch self {
            case .lane(.motion), .lane(.bulk): Self.lane(.safety).path
            case .claim: Self.out.path
            case .watch: Self.page.path
            case .lane(.safety), .out, .requests, .page, .notify, .record, .simulate, .asker: nil
            }
        }

        /// What is so without a user name.
        fileprivate var whenNull: String {
            self == .requests ? "requests are answered only if no account has a user name" : fallback ?? "none"
        }

        fileprivate var clientIDWhenNull: String {
            switch self {
            case .lane(let name) where name != .safety: "that of \(Self.lane(.safety).path) and -\(ending)"
            case .lane, .out, .claim, .requests, .notify: "gateway.name and -\(ending)"
            case .page, .watch, .record, .simulate, .asker: "gateway.name, -\(ending) and the process id"
            }
        }

        fileprivate var usernameSummary: String {
            switch self {
            case .lane(.motion), .lane(.bulk): "The user name, where the lane has an account of its own"
            case .claim: "The user name that claims the gateway's name; one of its own where brokers make it the client id"
            case .watch: "The user name; one of its own where brokers make it the client id"
            case .record: "The user name, which may read what devices publish"
            case .simulate: "The user name, which may write for every device"
            case .asker: "The user name, which may publish requests and read its replies"
            case .lane(.safety), .out, .requests, .page, .notify: "The user name"
            }
        }

        fileprivate var clientIDSummary: String {
            let start =
                switch self {
                case .lane(.safety): "The client id, to which -safety is added"
                case .claim: "The client id, to which a random name of the run is added"
                default: "The client id"
                }
            return "\(start); brokers may set the user name in its place"
        }
    }

    /// The identity that is set for an account.
    package subscript(account: Account) -> MQTT.Identity {
        get { self[keyPath: account.place.identity] }
        set { self[keyPath: account.place.identity] = newValue }
    }
}

extension GatewayConfiguration.MQTT.Identity {
    static func settings(_ account: GatewayConfiguration.Account) -> [Setting] {
        let path = account.path
        return [
            Setting(
                "\(path).username", \.[account].username, in: .visible, whenNull: account.whenNull,
                account.usernameSummary),
            Setting(
                "\(path).password", \.[account].password, whenNull: "none",
                "The password; better in its environment variable or a file than here"),
            Setting(
                "\(path).passwordFile", \.[account].passwordFile, whenNull: "none", location: .anywhere,
                "The file that holds the password"),
            Setting(
                "\(path).clientID", \.[account].clientID, in: .visible, whenNull: account.clientIDWhenNull,
                account.clientIDSummary),
            Setting(
                "\(path).certificateFile", \.[account].certificateFile, whenNull: "none", location: .readable,
                "The client certificate (PEM)"),
            Setting(
                "\(path).keyFile", \.[account].keyFile, whenNull: "none", location: .readable,
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
