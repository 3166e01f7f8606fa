/// What the recorded accelerometer of a device measured in one UTC day.
package struct ActivityDay: Sendable, Equatable, Codable {
    /// The day, such as `2026-03-01`.
    package var date: String
    /// The share of the day of which there are samples, 0 to 1.
    package var coverage: Double
    /// How long the device was worn, in s.
    package var worn: Double
    /// The mean of max(|a| - 1 G, 0) while the device may have been worn, in mG; nil where it is not known.
    package var meanENMO: Double?
    /// How long the mean of 5 s was below 45 mG, in s.
    package var sedentary: Double?
    /// How long it was from 45 up to 100 mG, in s.
    package var light: Double?
    /// How long it was from 100 up to 430 mG, in s.
    package var moderate: Double?
    /// How long it was 430 mG or more, in s.
    package var vigorous: Double?
    /// An estimate of the steps; nil where no samples are dense enough.
    package var estimatedSteps: Int?
    /// How likely the steps are within 5 %, 0 to 1, by how regular they are; nil without steps.
    package var stepsConfidence: Double?
    /// How often the day was published before with other values.
    package var revision: Int
}
