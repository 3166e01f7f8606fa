/// The devices that the gateway knows and what each may do.
package struct Registry: Sendable, Equatable {
    /// What becomes of a device that is not listed; default deny.
    package var unknownDevices = UnknownDevices.deny
    /// What a listed device's policy says where it is silent itself. Unknown devices get none of it.
    package var defaults = RegistryEntry()
    /// The listed devices by id.
    package var devices: [String: RegistryEntry] = [:]

    /// Makes a registry that lists no device and denies every one.
    package init() {}

    /// The policy of a device with the defaults merged in, or nil if the device is unknown and unknown devices are denied.
    ///
    /// - Important: A nil must be decided from the topic, before anything of the frame is decoded or kept.
    package func policy(for device: String) -> RegistryEntry? {
        if let policy = devices[device] { return policy.merging(defaults: defaults) }
        return unknownDevices == .allow ? .allowingEverything : nil
    }

    /// The streams that `streams` may list: the last levels of the topics that devices write to.
    package static let streamNames = [
        "headphone-motion", "headphone-connection", "device-motion", "batched-imu", "submersion", "status", "workout",
        "recorded-accelerometer", "pedometer", "altimeter", "command",
    ]
}

/// What becomes of devices that the registry does not list.
package enum UnknownDevices: String, Sendable, CaseIterable {
    /// Nothing of theirs is decoded, kept or published.
    case deny
    /// They may do everything, to full depth, without a workout. For trying things out, not for a broker that others reach.
    case allow
}
