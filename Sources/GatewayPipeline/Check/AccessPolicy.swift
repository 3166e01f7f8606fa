package import TelemetryModel

/// The registry's settings for one device, defaults filled in; nil is unset.
package struct DevicePolicy: Sendable, Equatable {
    /// The only streams the device has; nil for all.
    package var streams: Set<StreamName>?
    /// Capabilities that are known to be there or not.
    package var available: [Capability: Bool]
    /// Motion authorization.
    package var authorization: Authorization?
    /// The depth entitlement.
    package var entitlement: DepthEntitlement?
    /// Whether `entitlement` was set for the device itself, so that its own claims cannot replace it.
    package var entitlementIsExplicit: Bool
    /// Whether `batched-imu` needs a running workout.
    package var needsSession: Bool
    /// The wrist the device is worn on.
    package var wrist: Side?
    /// Whether claims of the device can grant what the registry leaves unset.
    package var trustsDeviceClaims: Bool
    /// Whether the device's app sends standardised units and signs; nil to measure it.
    package var isStandardised: Bool?

    /// Whether the app is entitled to Apple's movement disorder results.
    package var hasMovementDisorder = false
    /// What the person has consented to.
    package var consents: Set<Consent> = []
    /// The noons between which its nights lie.
    package var noon = LocalNoon(zone: nil)
    /// Whether permission was withdrawn: the device is denied, and its history erased.
    package var isRevoked = false

    /// A policy; by default available and authorized, not entitled, a session needed.
    package init(
        streams: Set<StreamName>? = nil, available: [Capability: Bool] = [:], authorization: Authorization? = nil,
        entitlement: DepthEntitlement? = nil, entitlementIsExplicit: Bool = false, needsSession: Bool = true,
        wrist: Side? = nil, trustsDeviceClaims: Bool = false, isStandardised: Bool? = nil
    ) {
        self.streams = streams
        self.available = available
        self.authorization = authorization
        self.entitlement = entitlement
        self.entitlementIsExplicit = entitlementIsExplicit
        self.needsSession = needsSession
        self.wrist = wrist
        self.trustsDeviceClaims = trustsDeviceClaims
        self.isStandardised = isStandardised
    }

    /// The policy of an unregistered device where unknown devices are allowed: everything.
    package static let everything = {
        var policy = DevicePolicy(
            authorization: .authorized, entitlement: .full, entitlementIsExplicit: true, needsSession: false)
        policy.hasMovementDisorder = true
        return policy
    }()
}

/// The known devices and their policies; replaced as a whole when the registry changes.
package struct AccessPolicy: Sendable, Equatable {
    /// The registered devices.
    package var devices: [DeviceID: DevicePolicy]
    /// The policy of all other devices; nil refuses them.
    package var unknown: DevicePolicy?
    /// The device of a sender, where devices share a topic and the payload holds the id.
    package var senders: [ProducerSender: DeviceID] = [:]
    /// The partitions whose devices are known; nil for all devices.
    package var partitions: PartitionSet?

    /// A policy for `devices`, and for all others if `unknown` is given.
    package init(devices: [DeviceID: DevicePolicy] = [:], unknown: DevicePolicy? = nil) {
        self.devices = devices
        self.unknown = unknown
    }

    /// The device of `sender`; nil when it is not known. Where unknown devices are allowed, an id without a binding that is a
    /// valid device id is that device.
    package func device(of sender: ProducerSender) -> DeviceID? {
        switch sender {
        case .device(let device): policy(for: device) == nil ? nil : device
        case .bound(_, let id): senders[sender] ?? (unknown == nil ? nil : DeviceID(id))
        case .bridge: nil
        }
    }

    /// The known devices of a group, in order of their ids: those it names, and those of the registry that its patterns match.
    func devices(of group: DeviceGroup) -> [DeviceID] {
        let matching = group.prefixes.isEmpty ? [] : devices.keys.filter(group.contains)
        return group.devices.union(matching).filter { policy(for: $0) != nil }.sorted()
    }

    /// The policy for `device`; nil for a device that is not known, or in a partition of another gateway.
    package func policy(for device: DeviceID) -> DevicePolicy? { owns(device) ? devices[device] ?? unknown : nil }

    /// Whether a device is in a partition of this gateway.
    package func owns(_ device: DeviceID) -> Bool { partitions?.owns(device) ?? true }

    /// This policy, for the devices of all partitions.
    package var ofAllPartitions: AccessPolicy {
        var policy = self
        policy.partitions = nil
        return policy
    }

    /// How many devices of its partitions are registered.
    package var registeredCount: Int { partitions == nil ? devices.count : devices.keys.count(where: owns) }

    /// Registered devices that may measure depth, in order of their ids.
    package var depthDevices: [DeviceID] {
        devices.filter { owns($0.key) && Authorizer.mayMeasureDepth($0.value) }.keys.sorted()
    }
}
