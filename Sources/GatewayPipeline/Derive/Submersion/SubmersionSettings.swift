/// The thresholds of everything derived from the submersion stream.
///
/// The defaults are the project's own choices unless a source is named. All values are finite and none but
/// `minimumDepthMeters` is negative.
package struct SubmersionSettings: DerivationSettings {
    /// The kind of water.
    package enum Water: String, Sendable, CaseIterable {
        /// Sea water.
        case sea
        /// Fresh water: a lake or a pool.
        case fresh

        /// The density in kg/m3.
        package var density: Double {
            switch self {
            case .sea: 1025
            case .fresh: 1000
            }
        }
    }

    /// What ends a dive.
    package enum Diving: String, Sendable, CaseIterable {
        /// Scuba, unless stays are as short and ascents as fast as those of free divers.
        case automatic
        /// `scubaEndSeconds` at the surface.
        case scuba
        /// An event at the surface, or `diveEndSeconds` there.
        case freediving
    }

    /// The maximum depth of the device's entitlement in m: 6 (shallow) or 40 (full). Without one nothing is derived.
    package var maximumDepth: Double?
    /// How far past a threshold, in m, a depth must rise before the state gets shallower; 0 is the bare mapping.
    package var hysteresisMeters = 0.2
    /// Seconds without depth under water after which the state is `unknown`; also the longest gap in which a dive's start or end
    /// is interpolated.
    package var staleSeconds = 5.0
    /// How often an unchanged state under water is published again, in s; 0 for never. A retained state expires when silence
    /// would make it `unknown`, so later subscribers receive an unchanged state only if it is published again before.
    package var refreshSeconds = 1.0
    /// The fraction of the maximum depth above which it is being approached; as observed; Apple publishes none.
    package var approachingFraction = 0.875
    /// The fraction of the maximum depth above which depth is withheld; Core Motion's.
    package var sensorErrorFraction = 1.1
    /// The depth in m from which on the device counts as in the water, with or without an event.
    package var enterWaterMeters = 0.2
    /// Seconds of depths above `enterWaterMeters` after which the device counts as out of the water without an event.
    package var leaveWaterSeconds = 2.0
    /// The fastest vertical speed in m/s that is accepted; a free diver was recorded at 3.0.
    package var maximumSpeed = 4.0
    /// The shortest interval in seconds over which a speed is judged.
    package var minimumIntervalSeconds = 0.25
    /// The least depth in m that is still noise of the surface rather than a fault.
    package var minimumDepthMeters = -1.0
    /// Seconds of consistent measurements after which a depth is accepted that could not have been reached: the duration of the
    /// fastest ascent from 40 m. Not configurable.
    package var recoverySeconds = 10.0
    /// The water by whose density pressure becomes depth.
    package var water = Water.sea
    /// The acceleration of gravity in m/s2; standard gravity. Not configurable.
    package var gravity = 9.80665
    /// The depth in m at which an immersion becomes a dive.
    package var diveStartMeters = 1.0
    /// What ends a dive.
    package var diving = Diving.automatic
    /// Seconds at the surface after which a stay under water is over, and with it a free dive.
    package var diveEndSeconds = 5.0
    /// Seconds at the surface after which a scuba dive is over: five minutes, as of Suunto's dive computers; others take 1 to 10.
    package var scubaEndSeconds = 300.0
    /// The longest free dive in s: hardly a free diver, and nearly every scuba diver, is longer under water. Not configurable.
    package var longestFreeDiveSeconds = 300.0
    /// The least rate in m/s of a free diver's fastest ascent. Free divers were recorded at 0.55 to 0.99; training agencies permit scuba
    /// divers 0.15 to 0.3. Not configurable.
    package var freeAscentRate = 0.5
    /// The window in seconds over which an ascent rate is taken.
    package var ascentWindowSeconds = 3.0
    /// The uncertainty in degrees Celsius at or under which a water temperature has converged.
    package var convergedCelsius = 0.5
    /// The least seconds between two published water temperatures.
    package var temperatureIntervalSeconds = 1.0
    /// Seconds by which the device's frames may be late; every timer waits that much longer. Configured for device connections.
    package var lagAllowanceSeconds = 0.0
    /// Whether everything that the broker had queued is read. Not configured.
    package var isCurrent = true

    /// The defaults, without an entitlement.
    package init() {}

    /// The defaults for an entitlement to `maximumDepth` metres.
    package init(maximumDepth: Double?) { self.maximumDepth = maximumDepth }

    /// The limit is the device's; with what is read so far.
    package func resolved(for device: DeviceFacts) -> Self {
        var settings = self
        settings.maximumDepth = device.traits.maximumDepth
        settings.isCurrent = device.isCurrent
        return settings
    }

    /// The lag allowance applies to every timer.
    package mutating func adopt(from others: DeriveSettings) {
        lagAllowanceSeconds = others[DeviceConnectionDerivation.self].lagAllowanceSeconds
    }
}
