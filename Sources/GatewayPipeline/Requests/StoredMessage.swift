/// The last message of one kind, as it was published.
package struct StoredMessage: Sendable, Equatable {
    /// The kind: the path after `out/`.
    package var kind: String
    /// The payload.
    package var payload: [UInt8]

    /// The last message of each kind. A depth state that is retained beside a latest one was read early: the latest is older.
    fileprivate static func current(retained: [StoredMessage], latest: [StoredMessage]) -> [StoredMessage] {
        let kinds = Set(retained.map(\.kind))
        return retained + latest.filter { !kinds.contains($0.kind) }
    }
}

extension DeviceState {
    /// The messages among the stored parts of a device, and the kinds of parts that cannot be read.
    package static func messages(in parts: [StatePart]) -> (messages: [StoredMessage], damaged: [String]) {
        var damaged: [String] = []
        func messages(_ prefix: String) -> [StoredMessage] {
            parts.filter { $0.name.hasPrefix(prefix) }.compactMap { part in
                let kind = String(part.name.dropFirst(prefix.count))
                guard let value = try? part.value(RetainedValue.self) else {
                    damaged.append(kind)
                    return nil
                }
                return StoredMessage(kind: kind, payload: value.payload)
            }
        }
        let (retained, latest) = (messages(Part.retained), messages(Part.latest))
        return (StoredMessage.current(retained: retained, latest: latest), damaged)
    }

    /// The kind of the message that a part of this name holds; nil where it holds none.
    package static func messageKind(ofPart name: String) -> String? {
        messagePrefixes.first(where: name.hasPrefix).map { String(name.dropFirst($0.count)) }
    }

    /// The names that stored parts with messages begin with.
    package static let messagePrefixes = [Part.retained, Part.latest]

    /// The last message of each kind.
    package var messages: [StoredMessage] {
        func messages(_ values: RetainedMessages) -> [StoredMessage] {
            values.kinds.compactMap { kind in values[kind: kind].map { StoredMessage(kind: kind, payload: $0.payload) } }
        }
        return StoredMessage.current(retained: messages(retained), latest: messages(latest))
    }
}
