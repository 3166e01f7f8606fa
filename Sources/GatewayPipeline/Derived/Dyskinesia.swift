package import TelemetryModel

/// How likely dyskinesia was in a minute, as Apple's movement disorder manager found: for research, never a diagnosis.
package struct Dyskinesia: Sendable, Equatable, Codable {
    /// The start of the minute.
    package var start: DeviceTime
    /// Its end.
    package var end: DeviceTime
    /// The share in which it was unlikely.
    package var unlikely: Double
    /// The share in which it was likely.
    package var likely: Double
    /// How often the minute was published before with other values.
    package var revision = 0
}
