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
    package var derive = Derive()

    /// Makes a configuration in which every setting has its default.
    package init() {}

    /// The client id of a connection: its `clientID`; else the gateway's name followed by `-in` or `-out`, or for the other lanes
    /// that of `mqtt.in` followed by the lane's name.
    package func clientID(of connection: MQTT.Connection) -> String {
        if let own = mqtt[connection].clientID { return own }
        switch connection {
        case .in, .out: return "\(gateway.name)-\(connection.rawValue)"
        case .motion, .bulk: return "\(clientID(of: .in))-\(connection.rawValue)"
        }
    }

    /// The client id of a lane's session. It has the lane's name in it, so that a session that was subscribed to more is not taken
    /// over from a version that had one for all.
    package func sessionID(of lane: Lanes.Name) -> String {
        switch lane {
        case .safety: "\(clientID(of: .in))-safety"
        case .motion: clientID(of: .motion)
        case .bulk: clientID(of: .bulk)
        }
    }

    /// Who a lane is to the broker: what is set for it, else `mqtt.in`.
    package func identity(of lane: Lanes.Name) -> MQTT.Identity {
        let own: MQTT.Identity
        switch lane {
        case .safety: return mqtt.in
        case .motion: own = mqtt.motion
        case .bulk: own = mqtt.bulk
        }
        return own.username == nil && own.certificateFile == nil ? mqtt.in : own
    }
}

extension GatewayConfiguration: CustomStringConvertible {
    /// Every setting as `path: value`, one a line in the order of the reference; a password is shown as set or not.
    package var description: String {
        ConfigurationReference.settings.map { "\($0.path): \($0.text(self))" }.joined(separator: "\n")
    }
}
