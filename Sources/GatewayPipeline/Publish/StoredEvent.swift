package import TelemetryModel

/// A derived message that is kept for the query `events`.
package struct StoredEvent: Sendable, Equatable {
    /// The kind: the path after `out/`.
    package var kind: String
    /// The instant of the event.
    package var at: UnixTime
    /// The message's id: a message that is derived again replaces itself.
    package var id: String
    /// The payload.
    package var payload: [UInt8]

    /// A message; its instant is kept to the microsecond, as it is published.
    package init(kind: String, at: UnixTime, id: String, payload: [UInt8]) {
        self.kind = kind
        self.at = UnixTime((at.seconds * 1e6).rounded() / 1e6)
        self.id = id
        self.payload = payload
    }

    /// A message that is published.
    init(_ derived: DerivedMessage, payload: [UInt8]) {
        self.init(kind: derived.event.body.path, at: derived.at, id: derived.id, payload: payload)
    }
}
