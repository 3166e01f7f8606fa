/// Everything a gateway can be told, with a default for every setting.
///
/// ``load(file:environment:overrides:)`` fills it; ``ConfigurationReference`` lists its keys. A value made with `init()` talks to a
/// broker on this machine, knows no device and so refuses every frame.
package struct GatewayConfiguration: Sendable, Equatable {
    /// How the gateway reaches the broker.
    package var mqtt = MQTT()
    /// What the gateway calls itself and which topics are its own.
    package var gateway = Gateway()
    /// Where the registry of devices is.
    package var registry = RegistrySource()
    /// How long the gateway waits and how much it takes.
    package var limits = Limits()
    /// The thresholds of everything that is derived.
    package var derive = Derive()

    /// Makes a configuration in which every setting has its default.
    package init() {}

    /// The client id of a connection: its `clientID`, or the gateway's name followed by `-in` or `-out`.
    package func clientID(of connection: MQTT.Connection) -> String {
        mqtt[connection].clientID ?? "\(gateway.name)-\(connection.rawValue)"
    }
}

extension GatewayConfiguration: CustomStringConvertible {
    /// Every setting as `path: value`, one a line in the order of the reference; a password is shown as set or not.
    package var description: String {
        ConfigurationReference.settings.map { "\($0.path): \($0.text(self))" }.joined(separator: "\n")
    }
}
