package import GatewayConfiguration

/// A device to be registered.
package struct NewDevice: Sendable, Equatable {
    package var id: String
    /// Nil leaves a key to the registry's defaults.
    package var entitlement: RegistryEntry.Entitlement?
    package var streams: [String]?
    package var session: RegistryEntry.Session?
    package var wrist: RegistryEntry.Wrist?

    package init(_ id: String) { self.id = id }

    /// Its entry in the registry, in one line.
    package var yaml: String {
        let values = [
            streams.map { "streams: [\($0.joined(separator: ", "))]" }, entitlement.map { "entitlement: \($0.rawValue)" },
            session.map { "session: \($0.rawValue)" }, wrist.map { "wrist: \($0.rawValue)" },
        ].compactMap(\.self)
        return values.isEmpty ? "\(id): {}" : "\(id): { \(values.joined(separator: ", ")) }"
    }
}
