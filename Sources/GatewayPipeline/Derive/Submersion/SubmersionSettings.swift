/// The thresholds of everything derived from the submersion stream.
///
/// The defaults are the project's own choices unless a source is named. All values are finite and none but
/// `minimumDepthMeters` is negative: whoever reads the configuration sees to that.
package struct SubmersionSettings: Sendable, Equatable {
    /// The maximum depth of the device's entitlement in m: 6 (shallow) or 40 (full). Without one nothing is derived.
    package var maximumDepth: Double?
    /// How far past a threshold, in m, a depth must rise before the state gets shallower; 0 is the bare mapping.
    package var hysteresisMeters = 0.2
    /// Seconds without depth under water after which nothing is known any more; also the longest gap in which a dive's
    /// beginning or end is interpolated.
    package var staleSeconds = 5.0
    /// How often an unchanged state under water is told again, in s; 0 for never. A retained state expires when silence would
    /// make it untrue, so whoever subscribes later sees a diver who stays in one state only if it is told again before.
    package var refreshSeconds = 0.0
    /// The fraction of the maximum depth above which it is being approached; as observed, for Apple publishes none.
    package var approachingFraction = 0.875
    /// The fraction of the maximum depth above which depth is withheld; Core Motion's.
    package var sensorErrorFraction = 1.1
    /// The depth in m from which on the device counts as in the water, event or no event.
    package var enterWaterMeters = 0.2
    /// Seconds of depths above `enterWaterMeters` after which the device counts as out of the water without an event.
    package var leaveWaterSeconds = 2.0
    /// The fastest vertical speed in m/s that is believed; a free diver was recorded at 3.0.
    package var maximumSpeed = 4.0
    /// The shortest interval in seconds over which a speed is judged.
    package var minimumIntervalSeconds = 0.25
    /// The least depth in m that is still noise of the surface rather than a fault.
    package var minimumDepthMeters = -1.0
    /// Seconds of consistent measurements after which a depth is believed that could not have been reached: what the
    /// fastest ascent from 40 m takes.
    package var recoverySeconds = 10.0
    /// The density of the water in kg/m3: 1025 for the sea, 1000 for fresh water.
    package var waterDensity = 1025.0
    /// The acceleration of gravity in m/s2; standard gravity.
    package var gravity = 9.80665
    /// The depth in m at which an immersion becomes a dive.
    package var diveStartMeters = 1.0
    /// Seconds at the surface after which a dive is over.
    package var diveEndSeconds = 5.0
    /// The window in seconds over which an ascent rate is taken.
    package var ascentWindowSeconds = 3.0
    /// The uncertainty in degrees Celsius at or under which a water temperature has converged.
    package var convergedCelsius = 0.5
    /// The least seconds between two published water temperatures.
    package var temperatureIntervalSeconds = 1.0
    /// Seconds by which the device's frames may be late; every timer waits as much longer.
    package var lagAllowanceSeconds = 0.0

    /// The defaults for an entitlement to `maximumDepth` metres.
    package init(maximumDepth: Double?) { self.maximumDepth = maximumDepth }
}
