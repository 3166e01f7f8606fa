package import TelemetryModel

/// How sleep and wakefulness are distinguished within a period of rest.
package enum SleepMethod: String, Sendable, Codable, CaseIterable {
    /// By the angle of the forearm (van Hees 2015).
    case zAngle
    /// By counts per minute (Sadeh 1994).
    case sadeh
    /// By counts per minute (Cole and Kripke 1992).
    case coleKripke
}

/// The longest period of rest between two noons, by the recorded accelerometer of a wrist. It describes stillness: it is not
/// verified against polysomnography.
package struct SleepPeriod: Sendable, Equatable, Codable {
    /// Its onset.
    package var start: UnixTime
    /// Its end.
    package var end: UnixTime
    /// How long it is sleep by `method`, in s.
    package var sleepDuration: Double
    /// The rest of the period, in s.
    package var wakeAfterOnset: Double
    /// Interruptions of more than 5 min.
    package var awakenings: Int
    /// The share of the period of which there are samples, 0 to 1.
    package var coverage: Double
    /// How much of the period the device was not worn, in s.
    package var nonWear: Double
    /// How sleep and wakefulness are distinguished.
    package var method: SleepMethod
    /// How often the period was published before with other values.
    package var revision: Int

    /// How long it is, in s.
    package var duration: Double { end - start }

    /// The share of the period that is sleep, 0 to 1.
    package var efficiency: Double { duration > 0 ? sleepDuration / duration : 0 }
}
