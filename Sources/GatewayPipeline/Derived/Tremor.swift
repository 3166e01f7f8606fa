package import TelemetryModel

/// How tremor was found.
package enum TremorMethod: String, Sendable, Codable, CaseIterable {
    /// By the spectrum of the acceleration.
    case spectral
    /// By Apple's movement disorder manager.
    case apple
}

/// How much of a minute a wrist trembled: for research, never a diagnosis.
package struct Tremor: Sendable, Equatable, Codable {
    /// The start of the minute.
    package var start: DeviceTime
    /// Its end.
    package var end: DeviceTime
    /// The share of the minute for which nothing is known.
    package var unknown: Double
    /// The share without tremor.
    package var none: Double
    /// The share with a tremor of less than 1 cm from peak to peak; Apple's grades are its own.
    package var slight: Double
    /// The share with one of 1 to 3 cm.
    package var mild: Double
    /// The share with one of 3 to 10 cm.
    package var moderate: Double
    /// The share with one of more than 10 cm.
    package var severe: Double
    /// The share with tremor while the arm is at rest; nil where Apple found the tremor.
    package var rest: Double?
    /// The share with tremor while the arm moves; nil like `rest`.
    package var action: Double?
    /// The mean frequency in Hz; nil without tremor.
    package var frequency: Double?
    /// The mean amplitude in cm, from peak to peak; nil without tremor.
    package var amplitude: Double?
    /// How it was found.
    package var method: TremorMethod
    /// How often the minute was published before with other values: a recorded one, whose samples came late.
    package var revision = 0
    /// The share of the minute that is known, 0-1.
    package var coverage: Double { 1 - unknown }

    /// A minute from `start` to `end`, nothing of it known yet.
    package init(start: DeviceTime, end: DeviceTime, method: TremorMethod = .spectral) {
        self.start = start
        self.end = end
        self.method = method
        (unknown, none, slight, mild, moderate, severe) = (1, 0, 0, 0, 0, 0)
        if method == .spectral { (rest, action) = (0, 0) }
    }
}
