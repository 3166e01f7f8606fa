/// What a broker grants a connection in its CONNACK; MQTT 5 only, section 3.2.2.3.
package struct BrokerTerms: Sendable, Equatable {
    /// How long it keeps the session without a connection, in seconds.
    package var sessionExpirySeconds: UInt32

    /// The highest quality of service that may be published and subscribed with.
    package var maximumQoS = QoS.exactlyOnce

    /// Whether it keeps retained messages.
    package var retains = true

    /// Whether subscriptions may have wildcards.
    package var allowsWildcards = true

    /// The largest packet that it accepts, in bytes; nil for no limit.
    package var maximumPacketBytes: UInt32?

    /// The keep-alive interval that it demands in place of the client's, in seconds; nil for the client's.
    package var keepAliveSeconds: UInt16?

    /// The terms of a broker that grants a session expiry and restricts nothing.
    package init(sessionExpirySeconds: UInt32) { self.sessionExpirySeconds = sessionExpirySeconds }
}
