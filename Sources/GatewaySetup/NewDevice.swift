package import GatewayConfiguration
package import TelemetryModel

/// What the registry is to say of a device; nil leaves a key as it is, which of a new device are the registry's defaults.
package struct NewDevice: Sendable, Equatable {
    package var id: String
    package var entitlement: RegistryEntry.Entitlement?
    /// Whether the app is entitled to Apple's movement disorder results, beside the depth in ``entitlement``.
    package var movementDisorder = false
    package var streams: [String]?
    package var session: RegistryEntry.Session?
    package var wrist: Side?
    package var consent: [String]?
    package var timeZone: String?
    package var revoked: Bool?

    package init(_ id: String) { self.id = id }

    /// The keys that are given, and their values in YAML.
    package var values: [(key: String, yaml: String)] {
        let entitlements = [entitlement?.rawValue, movementDisorder ? "movementDisorder" : nil].compactMap(\.self)
        return [
            ("streams", streams.map(Self.list)),
            ("entitlement", movementDisorder ? Self.list(entitlements) : entitlements.first),
            ("session", session?.rawValue), ("wrist", wrist?.rawValue), ("consent", consent.map(Self.list)),
            ("timeZone", timeZone), ("revoked", revoked.map { "\($0)" }),
        ].compactMap { key, value in value.map { (key, $0) } }
    }

    /// Its entry in the registry, in one line.
    package var yaml: String {
        let members = values.map { "\($0.key): \($0.yaml)" }
        return members.isEmpty ? "\(id): {}" : "\(id): { \(members.joined(separator: ", ")) }"
    }

    private static func list(_ names: [String]) -> String { "[\(names.joined(separator: ", "))]" }
}

extension RegistryEntry {
    /// The keys that a command can set.
    package static let settableKeys = ["streams", "entitlement", "session", "wrist", "consent", "timeZone", "revoked"]

    /// Takes over what another entry says with one of ``settableKeys``.
    mutating func take(_ key: String, from other: RegistryEntry) {
        switch key {
        case "streams": streams = other.streams
        case "entitlement":
            (entitlement, entitlementIsExplicit) = (other.entitlement, other.entitlementIsExplicit)
            movementDisorder = other.movementDisorder
        case "session": session = other.session
        case "wrist": wrist = other.wrist
        case "consent": consent = other.consent
        case "timeZone": timeZone = other.timeZone
        case "revoked": revoked = other.revoked
        default: break
        }
    }
}
