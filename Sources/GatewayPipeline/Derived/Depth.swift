package import TelemetryModel

/// Why a depth state changed.
package enum DepthCause: String, Sendable, Codable, CaseIterable {
    /// A measurement.
    case sample
    /// A submersion event.
    case event
    /// The data stopped under water.
    case silence
    /// The gateway restarted, or stops.
    case restart
    /// Another gateway takes the device: the old one stops, or the new one starts.
    case handover
    /// The device restarted.
    case reboot
    /// The device may no longer be measured.
    case access
    /// The sensor data are contradictory.
    case fault
}

/// A change of a device's depth state or of its quality.
package struct DepthStateChange: Sendable, Equatable, Codable {
    /// The state from now on.
    package var state: DepthState
    /// The state until now.
    package var previous: DepthState
    /// Why it changed.
    package var cause: DepthCause
    /// Depth in m; nil when not known or withheld.
    package var depth: Double?
    /// The limit of the device's entitlement in m.
    package var maximumDepth: Double?
    /// Absolute pressure of the air at the surface in kPa.
    package var surfacePressure: Double?
    /// Whether it was read from a frame before the frames before it had come; `previous` is then not known.
    package var isEarly = false
}

/// The temperature of the water.
package struct WaterTemperature: Sendable, Equatable, Codable {
    /// Degrees Celsius.
    package var temperature: Double
    /// A difference in degrees Celsius.
    package var uncertainty: Double
    /// Whether the uncertainty has come down to the configured limit.
    package var converged: Bool
}

/// One dive, published once the diver is back at the surface.
package struct Dive: Sendable, Equatable, Codable {
    /// The first crossing of the entry depth.
    package var start: DeviceTime
    /// The last crossing of the entry depth.
    package var end: DeviceTime
    /// Greatest depth in m; nil once depth was withheld.
    package var deepest: Double?
    /// Mean depth in m over the time under water; nil once depth was withheld.
    package var averageDepth: Double?
    /// Lowest water temperature in degrees Celsius, if any was measured.
    package var minimumTemperature: Double?
    /// Fastest ascent in m/s over the configured window.
    package var ascentRate: Double
    /// Seconds at the surface since the dive before, if there was one.
    package var surfaceInterval: Double?
    /// Seconds at the surface between start and end.
    package var surfaceTime = 0.0
    /// How deep it was over time; nil where that was not collected.
    package var profile: DiveProfile?

    /// Seconds from start to end, in device time.
    package var duration: Double { end - start }
}

/// The depths of a dive in intervals of equal length, at most 256, from its start on.
package struct DiveProfile: Sendable, Equatable, Codable {
    /// The length of an interval in s: 1, or a power of two.
    package var interval: Double
    /// The deepest depth of each interval in m; nil where a depth of it was withheld, or none was measured.
    package var depth: [Double?]
}

/// What a device could not measure under water, and how often.
package struct SubmersionErrorReport: Sendable, Equatable, Codable {
    /// Core Motion's error code; nil once a measurement has arrived again.
    package var code: Int?
    /// How often it was reported since the last measurement.
    package var count: Int
    /// When it was first reported since then.
    package var since: DeviceTime?
}
