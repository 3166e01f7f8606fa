import JSONText

/// What the gateway's status says of its broker; nil where it is not known.
package struct BrokerReport: Sendable, Equatable {
    /// Something that the broker does not do.
    package struct Lack: Sendable, Equatable {
        /// Its name, one of those in the schema of the status.
        package var capability: String
        /// What follows from it, and what to change.
        package var consequence: String

        /// A lack.
        package init(capability: String, consequence: String) {
            (self.capability, self.consequence) = (capability, consequence)
        }
    }

    /// Host and port, of those that are configured.
    package var address: String
    /// How long the broker keeps the sessions that receive frames while the gateway is away, in seconds.
    package var sessionExpirySeconds: Int?
    /// The highest quality of service.
    package var maximumQoS: Int?
    /// Whether the broker keeps retained messages.
    package var retains: Bool?
    /// Whether subscriptions may have wildcards.
    package var allowsWildcards: Bool?
    /// Whether a new subscription with a wildcard gets retained messages.
    package var deliversRetainedToWildcards: Bool?
    /// What it does not do, as far as it is known.
    package var lacks: [Lack] = []

    /// A report with nothing but the address.
    package init(address: String) { self.address = address }

    func write(to json: inout JSONWriter) {
        json.field("address", address)
        if let sessionExpirySeconds { json.field("sessionExpirySeconds", sessionExpirySeconds) }
        if let maximumQoS { json.field("maximumQoS", maximumQoS) }
        if let retains { json.field("retain", retains) }
        if let allowsWildcards { json.field("wildcards", allowsWildcards) }
        if let deliversRetainedToWildcards { json.field("retainedToWildcards", deliversRetainedToWildcards) }
        json.array("lacks") { json in
            for lack in lacks {
                json.object { json in
                    json.field("capability", lack.capability)
                    json.field("consequence", lack.consequence)
                }
            }
        }
    }
}
