package import TelemetryModel

/// Whether the device is in the water.
///
/// An event sets it. A depth of `enterWaterMeters` or more sets it to in the water, whatever the last event was. Smaller depths
/// set it to out of the water after `leaveWaterSeconds`, unless the last event is submerged. Only samples set it, not timers.
package struct WaterContact: Codable, Sendable, Equatable {
    /// Whether it is in the water; nil when not known.
    package private(set) var isSubmerged: Bool?
    private var isReported = false
    private var shallowSince: DeviceTime?

    /// Processes the state of an event.
    package mutating func report(isSubmerged: Bool) {
        self = Self()
        self.isSubmerged = isSubmerged
        isReported = true
    }

    /// Processes a depth in m.
    package mutating func measure(depth: Double, at time: DeviceTime, settings: SubmersionSettings) {
        guard depth < settings.enterWaterMeters else { return enter() }
        let since = min(shallowSince ?? time, time)
        shallowSince = since
        let isBound = isSubmerged == true && isReported
        if !isBound, time - since >= settings.leaveWaterSeconds {
            isSubmerged = false
        }
    }

    /// Processes data, other than an event, that show the device in the water.
    package mutating func enter() {
        if isSubmerged != true {
            isSubmerged = true
            isReported = false
        }
        shallowSince = nil
    }

    /// Restarts the seconds above the water.
    package mutating func pause() { shallowSince = nil }
}
