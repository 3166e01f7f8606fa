/// How sleep and wakefulness are distinguished within a period of rest.
public enum SleepMethod: String, Sendable, Codable, CaseIterable {
    /// By the angle of the forearm (van Hees 2015).
    case zAngle
    /// By counts per minute (Sadeh 1994).
    case sadeh
    /// By counts per minute (Cole and Kripke 1992).
    case coleKripke
}

/// The longest period of rest between two noons, by the recorded accelerometer of a wrist. It describes stillness: it is not
/// verified against polysomnography.
public struct SleepPeriod: Sendable, Equatable, Codable {
    /// Its onset.
    public var start: UnixTime
    /// Its end.
    public var end: UnixTime
    /// How long it is sleep by `method`, in s.
    public var sleepDuration: Double
    /// The rest of the period, in s.
    public var wakeAfterOnset: Double
    /// Interruptions of more than 5 min.
    public var awakenings: Int
    /// The share of the period of which there are samples, 0 to 1.
    public var coverage: Double
    /// How much of the period the device was not worn, in s.
    public var nonWear: Double
    /// How sleep and wakefulness are distinguished.
    public var method: SleepMethod
    /// How often the period was published before with other values.
    public var revision: Int

    /// A period.
    public init(
        start: UnixTime, end: UnixTime, sleepDuration: Double, wakeAfterOnset: Double, awakenings: Int, coverage: Double,
        nonWear: Double, method: SleepMethod, revision: Int
    ) {
        self.start = start
        self.end = end
        self.sleepDuration = sleepDuration
        self.wakeAfterOnset = wakeAfterOnset
        self.awakenings = awakenings
        self.coverage = coverage
        self.nonWear = nonWear
        self.method = method
        self.revision = revision
    }

    /// How long it is, in s.
    public var duration: Double { end - start }

    /// The share of the period that is sleep, 0 to 1.
    public var efficiency: Double { duration > 0 ? sleepDuration / duration : 0 }
}
