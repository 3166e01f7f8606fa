import TelemetryModel

extension AccessPolicy {
    /// What both this policy and `other` permit; settings that are no permissions are those of `other`.
    package func restricted(by other: AccessPolicy) -> AccessPolicy {
        var both = other
        both.unknown = unknown.flatMap { old in other.unknown.map { old.restricted(by: $0) } }
        both.devices = [:]
        for device in Set(devices.keys).union(other.devices.keys) {
            guard let old = policy(for: device), let new = other.policy(for: device) else { continue }
            both.devices[device] = old.restricted(by: new)
        }
        // Where unknown devices are allowed, an id without a binding would name the device of that id.
        if both.unknown == nil { both.senders = other.senders.filter { senders[$0.key] == $0.value } }
        return both
    }
}

extension DevicePolicy {
    fileprivate func restricted(by other: DevicePolicy) -> DevicePolicy {
        guard self != other else { return other }
        var both = other
        if let streams { both.streams = other.streams.map(streams.intersection) ?? streams }
        for (capability, isAvailable) in available where !isAvailable { both.available[capability] = false }
        if let authorization, authorization != .authorized { both.authorization = authorization }
        if let entitlement, let new = other.entitlement {
            both.entitlement = min(entitlement, new)
        } else {
            both.entitlement = nil
        }
        both.entitlementIsExplicit = entitlementIsExplicit || other.entitlementIsExplicit
        both.needsSession = needsSession || other.needsSession
        both.trustsDeviceClaims = trustsDeviceClaims && other.trustsDeviceClaims
        both.hasMovementDisorder = hasMovementDisorder && other.hasMovementDisorder
        both.consents = consents.intersection(other.consents)
        return both
    }
}
