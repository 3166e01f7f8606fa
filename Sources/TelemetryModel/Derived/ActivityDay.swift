/// What the recorded accelerometer of a device measured in one UTC day.
public struct ActivityDay: Sendable, Equatable, Codable {
    /// The day, such as `2026-03-01`.
    public var date: String
    /// The share of the day of which there are samples, 0 to 1.
    public var coverage: Double
    /// How long the device was worn, in s.
    public var worn: Double
    /// The mean of max(|a| - 1 G, 0) while the device may have been worn, in mG; nil where it is not known.
    public var meanENMO: Double?
    /// How long the mean of 5 s was below 45 mG, in s.
    public var sedentary: Double?
    /// How long it was from 45 up to 100 mG, in s.
    public var light: Double?
    /// How long it was from 100 up to 430 mG, in s.
    public var moderate: Double?
    /// How long it was 430 mG or more, in s.
    public var vigorous: Double?
    /// An estimate of the steps; nil where no samples are dense enough.
    public var estimatedSteps: Int?
    /// How likely the steps are within 5 %, 0 to 1, by how regular they are; nil without steps.
    public var stepsConfidence: Double?
    /// How often the day was published before with other values.
    public var revision: Int

    /// A day.
    public init(
        date: String, coverage: Double, worn: Double, meanENMO: Double?, sedentary: Double?, light: Double?, moderate: Double?,
        vigorous: Double?, estimatedSteps: Int?, stepsConfidence: Double?, revision: Int
    ) {
        self.date = date
        self.coverage = coverage
        self.worn = worn
        self.meanENMO = meanENMO
        self.sedentary = sedentary
        self.light = light
        self.moderate = moderate
        self.vigorous = vigorous
        self.estimatedSteps = estimatedSteps
        self.stepsConfidence = stepsConfidence
        self.revision = revision
    }
}
