import TelemetryModel

/// The registered devices and their policies.
package struct Registry: Sendable, Equatable {
    /// The handling of devices that are not listed; default deny.
    package var unknownDevices = UnknownDevices.deny
    /// The policy of listed devices for keys that they leave unset. It does not apply to unknown devices.
    package var defaults = RegistryEntry()
    /// The listed devices by id.
    package var devices: [String: RegistryEntry] = [:]

    /// Makes a registry that lists no device and denies every one.
    package init() {}

    /// The policy of a device with the defaults merged in, or nil if the device is unknown and unknown devices are denied.
    ///
    /// - Important: Check this from the topic, before the frame is decoded or any state is kept.
    package func policy(for device: String) -> RegistryEntry? {
        if let policy = devices[device] { return policy.merging(defaults: defaults) }
        return unknownDevices == .allow ? .allowingEverything : nil
    }

    /// Whether everything that an earlier registry says of its devices, and of unknown ones, still holds.
    package func onlyAdds(to earlier: Registry) -> Bool {
        unknownDevices == earlier.unknownDevices && earlier.devices.keys.allSatisfy { policy(for: $0) == earlier.policy(for: $0) }
    }

    /// The streams that `streams` may list: the last levels of the topics that devices write to.
    package static let streamNames = StreamName.allCases.map(\.rawValue)
}

/// The handling of devices that the registry does not list.
package enum UnknownDevices: String, Sendable, CaseIterable {
    /// Their messages are not decoded, kept or published.
    case deny
    /// They may do everything, to full depth, without a workout. For tests, not for a broker that others can reach.
    case allow
}
