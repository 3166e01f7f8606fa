package import TelemetryModel

/// Whether the device is in the water.
///
/// An event decides. Depth decides too, but one way: a depth of `enterWaterMeters` means in the water whatever the
/// last event was, while out of the water by depth takes `leaveWaterSeconds` of measurements, and is not concluded as
/// long as the last event is submerged. Samples decide it, no timer: without samples nothing was seen above the water.
package struct WaterContact: Codable, Sendable, Equatable {
    /// Whether it is in the water; nil when not known.
    package private(set) var isSubmerged: Bool?
    private var isReported = false
    private var shallowSince: DeviceTime?

    /// Not known.
    package init() {}

    /// Takes the state of an event.
    package mutating func report(isSubmerged: Bool) {
        self = Self()
        self.isSubmerged = isSubmerged
        isReported = true
    }

    /// Takes a depth in m.
    package mutating func measure(depth: Double, at time: DeviceTime, settings: SubmersionSettings) {
        guard depth < settings.enterWaterMeters else { return enter() }
        let since = min(shallowSince ?? time, time)
        shallowSince = since
        let isBound = isSubmerged == true && isReported
        if !isBound, time - since >= settings.leaveWaterSeconds {
            isSubmerged = false
        }
    }

    /// Takes anything but an event that can only be true in the water.
    package mutating func enter() {
        if isSubmerged != true {
            isSubmerged = true
            isReported = false
        }
        shallowSince = nil
    }

    /// Starts the seconds above the water anew.
    package mutating func pause() { shallowSince = nil }
}
