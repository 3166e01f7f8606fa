package import GatewayPipeline

/// Everything a gateway can be told, with a default for every setting.
///
/// ``load(file:environment:overrides:)`` fills it; ``ConfigurationReference`` lists its keys. A value made with `init()` talks to a
/// broker on this machine, knows no device and so refuses every frame.
package struct GatewayConfiguration: Sendable, Equatable {
    /// How the gateway reaches the broker.
    package var mqtt = MQTT()
    /// Which streams have a session of their own.
    package var lanes = Lanes()
    /// What the gateway calls itself and which topics are its own.
    package var gateway = Gateway()
    /// Where the registry of devices is.
    package var registry = RegistrySource()
    /// Where it stands who publishes in ways of their own.
    package var producers = ProducersSource()
    /// How long the gateway waits and how much it takes.
    package var limits = Limits()
    /// The thresholds of everything that is derived.
    package var derive = DeriveSettings()

    /// Makes a configuration in which every setting has its default.
    package init() {}

    /// The client id of an account: its `clientID`; else the gateway's name followed by `-in` for the safety lane and by `-out` for
    /// the publishing connection, and for the other lanes that of the safety lane followed by the lane's name.
    package func clientID(of account: Account) -> String {
        if let own = self[account].clientID { return own }
        switch account {
        case .lane(.safety): return "\(gateway.name)-in"
        case .lane(let name): return "\(clientID(of: .lane(.safety)))-\(name.rawValue)"
        case .out: return "\(gateway.name)-out"
        }
    }

    /// The client id of a lane's session. It has the lane's name in it, so that a session that was subscribed to more is not taken
    /// over from a version that had one for all.
    package func sessionID(of lane: Lanes.Name) -> String {
        lane == .safety ? "\(clientID(of: .lane(lane)))-safety" : clientID(of: .lane(lane))
    }

    /// The account that a lane connects with: its own, else that of the safety lane.
    package func identity(of lane: Lanes.Name) -> MQTT.Identity {
        let own = lanes[lane].account
        return own.username == nil && own.certificateFile == nil ? lanes[.safety].account : own
    }
}

extension GatewayConfiguration: CustomStringConvertible {
    /// Every setting as `path: value`, one a line in the order of the reference; a password is shown as set or not.
    package var description: String {
        ConfigurationReference.settings.map { "\($0.path): \($0.text(self))" }.joined(separator: "\n")
    }
}
