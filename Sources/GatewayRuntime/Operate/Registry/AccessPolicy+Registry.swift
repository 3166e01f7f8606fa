package import GatewayConfiguration
package import GatewayPipeline
import TelemetryModel

extension AccessPolicy {
    /// The policy that a registry states, for the devices of `partitions`; nil for all devices.
    package init(_ registry: Registry, of partitions: PartitionSet? = nil) {
        var policies: [DeviceID: DevicePolicy] = [:]
        for name in registry.devices.keys {
            guard let device = DeviceID(name), let entry = registry.policy(for: name) else { continue }
            policies[device] = DevicePolicy(entry)
        }
        self.init(devices: policies, unknown: registry.unknownDevices == .allow ? .everything : nil)
        self.partitions = partitions
        for (name, entry) in registry.devices {
            guard let device = DeviceID(name), let from = entry.from else { continue }
            senders[.bound(topic: from.topic, id: from.id)] = device
        }
    }
}

extension DevicePolicy {
    /// The policy of one entry, the registry's defaults filled in.
    init(_ entry: RegistryEntry) {
        self.init(
            streams: entry.streams.map { Set($0.compactMap(StreamName.init(rawValue:))) },
            available: entry.available,
            authorization: entry.authorization,
            entitlement: entry.entitlement.flatMap { DepthEntitlement(rawValue: $0.rawValue) },
            entitlementIsExplicit: entry.entitlementIsExplicit,
            needsSession: entry.session != .notRequired,
            wrist: entry.wrist,
            trustsDeviceClaims: entry.trustDeviceClaims ?? false,
            isStandardised: entry.from?.isStandardised)
        hasMovementDisorder = entry.movementDisorder ?? false
        consents = Set(entry.consent?.compactMap(Consent.init(rawValue:)) ?? [])
        noon = LocalNoon(zone: entry.timeZone)
        isRevoked = entry.revoked ?? false
        if isRevoked { authorization = .denied }
    }
}

extension RegistryEntry.From {
    fileprivate var isStandardised: Bool? {
        switch standardised {
        case .yes: true
        case .no: false
        case .auto, nil: nil
        }
    }
}
