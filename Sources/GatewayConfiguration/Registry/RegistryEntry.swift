package import TelemetryModel

/// The registry entry of a device; nil is unset.
package struct RegistryEntry: Sendable, Equatable {
    /// The streams that the device has, of ``Registry/streamNames``; all others are unavailable. Nil leaves it to `available` and `status`.
    package var streams: [String]?
    /// Which sensors the device has; a sensor that is unset has no entry.
    package var available: [Capability: Bool] = [:]
    /// Whether motion may be used.
    package var authorization: Authorization?
    /// How deep the device may measure.
    package var entitlement: Entitlement?
    /// Whether ``entitlement`` is the device's own rather than one of the defaults. Then the device's claims do not change it.
    package var entitlementIsExplicit = false
    /// Whether the app is entitled to Apple's movement disorder results; unset is no.
    package var movementDisorder: Bool?
    /// Whether batched motion needs a running workout.
    package var session: Session?
    /// The wrist that the device is on.
    package var wrist: Side?
    /// The hardware model, such as `Watch6,18`.
    package var model: String?
    /// The operating system and its version.
    package var os: String?
    /// Whether claims in `status` can grant what the registry leaves unset; unset is no.
    package var trustDeviceClaims: Bool?
    /// What the person has consented to, of ``consents``; nil is nothing.
    package var consent: [String]?
    /// The time zone of the device's nights (IANA); unset is UTC.
    package var timeZone: String?
    /// Whether permission was withdrawn: the device is denied, and its history erased; never one of the defaults.
    package var revoked: Bool?
    /// What can be consented to.
    package static let consents = ["tremor", "sleep"]
    /// The app's sender that the device is bound to; never one of the defaults.
    package var from: From?

    /// Makes an entry in which nothing is set.
    package init() {}

    /// What an unknown device may do when unknown devices are allowed: everything, to full depth, without a workout.
    package static let allowingEverything = {
        var policy = RegistryEntry()
        policy.available = Dictionary(uniqueKeysWithValues: Capability.allCases.map { ($0, true) })
        policy.authorization = .authorized
        policy.entitlement = .full
        policy.entitlementIsExplicit = true
        policy.movementDisorder = true
        policy.session = .notRequired
        return policy
    }()

    /// This policy with what it leaves unset taken from another, key by key.
    package func merging(defaults: RegistryEntry) -> RegistryEntry {
        var merged = self
        merged.streams = streams ?? defaults.streams
        merged.available = available.merging(defaults.available) { own, _ in own }
        merged.authorization = authorization ?? defaults.authorization
        merged.entitlement = entitlement ?? defaults.entitlement
        merged.movementDisorder = movementDisorder ?? defaults.movementDisorder
        merged.session = session ?? defaults.session
        merged.wrist = wrist ?? defaults.wrist
        merged.model = model ?? defaults.model
        merged.os = os ?? defaults.os
        merged.trustDeviceClaims = trustDeviceClaims ?? defaults.trustDeviceClaims
        merged.consent = consent ?? defaults.consent
        merged.timeZone = timeZone ?? defaults.timeZone
        return merged
    }
}

extension RegistryEntry {
    /// How deep a device may measure.
    package enum Entitlement: String, Sendable, CaseIterable {
        /// Not at all; `none` in the registry. The case has another name, because `.none` on an optional means unset.
        case notEntitled = "none"
        /// To 6 m.
        case shallow
        /// To 40 m.
        case full
    }

    /// Whether batched motion needs a running workout.
    package enum Session: String, Sendable, CaseIterable {
        /// It does.
        case required
        /// It does not.
        case notRequired
    }
}
