package import GatewayPipeline

/// All settings of a gateway, each with a default.
///
/// ``load(file:environment:overrides:)`` fills it; ``ConfigurationReference`` lists its keys. A value made with `init()` connects
/// to a broker on this machine, and has no registered device, so every frame is refused.
package struct GatewayConfiguration: Sendable, Equatable {
    /// How the gateway reaches the broker.
    package var mqtt = MQTT()
    /// The lanes: which streams have a session of their own.
    package var lanes = Lanes()
    /// The gateway's name, topics and state directory.
    package var gateway = Gateway()
    /// Where a copy of the states is kept.
    package var keyValue = KeyValue()
    /// How recorded histories are kept.
    package var history = History()
    /// How requests are answered.
    package var requests = Requests()
    /// Where the registry of devices is.
    package var registry = RegistrySource()
    /// Where the producers file is.
    package var producers = ProducersSource()
    /// How frames are brought into the shared models.
    package var normalize = Normalize()
    /// Whether devices are announced to Home Assistant.
    package var homeAssistant = HomeAssistant()
    /// The fleet page.
    package var page = Page()
    /// What `fathom watch` needs; without a name in its account that of the page is used.
    package var watch = Tool()
    /// What `fathom notify` needs.
    package var notify = Notify()
    /// What `fathom record` needs.
    package var record = Tool()
    /// What `fathom simulate` needs.
    package var simulate = Tool()
    /// The limits of waits, sizes and rates.
    package var limits = Limits()
    /// Where metrics and health are served.
    package var http = HTTP()
    /// What is logged, and how.
    package var log = Log()
    /// The settings of the derivations.
    package var derive = DeriveSettings()

    /// Makes a configuration in which every setting has its default.
    package init() {}

    /// The client id of an account: its `clientID`, else the gateway's name with an ending.
    ///
    /// The ending is `-in` for the safety lane, `-out` for the publishing connection, `-claim` for that of claims, `-query` for that of requests,
    /// and the name of the command for programs beside the gateway, such as `-page`. The other lanes have the id of the safety lane followed
    /// by their name.
    package func clientID(of account: Account) -> String {
        if let own = self[account].clientID { return own }
        if case .lane(let name) = account, name != .safety { return "\(clientID(of: .lane(.safety)))-\(account.ending)" }
        return "\(gateway.name)-\(account.ending)"
    }

    /// The client id of a lane's session. It contains the lane's name, so that the session of a version with a single one for all
    /// streams is not resumed.
    package func sessionID(of lane: Lanes.Name) -> String {
        lane == .safety ? "\(clientID(of: .lane(lane)))-safety" : clientID(of: .lane(lane))
    }

    /// The client id with which an account is connected: that of a lane is its session's.
    func connectionID(of account: Account) -> String {
        if case .lane(let lane) = account { sessionID(of: lane) } else { clientID(of: account) }
    }

    /// Whether requests are answered: where other connections have accounts, that needs one too, for a broker may keep only one
    /// connection of an account.
    package var answersRequests: Bool {
        let accounts = Account.allCases.filter { $0 != .requests }.map { self[$0] }
        return requests.enabled && (requests.account.isNamed || !accounts.contains(where: \.isNamed))
    }

    /// The account that a lane connects with: its own, else that of the safety lane.
    package func identity(of lane: Lanes.Name) -> MQTT.Identity { self[account(of: lane)] }

    /// The account whose settings the connection of claims uses.
    package var claimAccount: Account { mqtt.claim.isNamed ? .claim : .out }

    /// The account whose settings `fathom watch` uses.
    package var watchAccount: Account { watch.account.isNamed ? .watch : .page }

    /// The account whose settings a lane uses.
    package func account(of lane: Lanes.Name) -> Account {
        let own = lanes[lane].account
        return .lane(own.isNamed ? lane : .safety)
    }
}

extension GatewayConfiguration: CustomStringConvertible {
    /// Every setting as `path: value`, one a line in the order of the reference; a password is shown as set or not.
    package var description: String {
        ConfigurationReference.settings.map { "\($0.path): \($0.text(self))" }.joined(separator: "\n")
    }
}
