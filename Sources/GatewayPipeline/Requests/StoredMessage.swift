/// The last message of one kind, as it was published.
package struct StoredMessage: Sendable, Equatable {
    /// The kind: the path after `out/`.
    package var kind: String
    /// The payload.
    package var payload: [UInt8]
}

extension DeviceState {
    /// The messages among the stored parts of a device; parts of other versions are left out.
    package static func messages(in parts: [StatePart]) -> [StoredMessage] {
        parts.compactMap { part in
            guard let prefix = [Part.retained, Part.latest].first(where: part.name.hasPrefix) else { return nil }
            return (try? part.value(RetainedValue.self)).map {
                StoredMessage(kind: String(part.name.dropFirst(prefix.count)), payload: $0.payload)
            }
        }
    }

    /// The names that stored parts with messages begin with.
    package static let messagePrefixes = [Part.retained, Part.latest]

    /// The last message of each kind.
    package var messages: [StoredMessage] {
        [retained, latest].flatMap { messages in
            messages.kinds.compactMap { kind in messages[kind: kind].map { StoredMessage(kind: kind, payload: $0.payload) } }
        }
    }
}
