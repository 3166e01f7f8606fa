/// How tremor was found.
public enum TremorMethod: String, Sendable, Codable, CaseIterable {
    /// By the spectrum of the acceleration.
    case spectral
    /// By Apple's movement disorder manager.
    case apple
}

/// How much of a minute a wrist trembled: for research, never a diagnosis.
public struct Tremor: Sendable, Equatable, Codable {
    /// The start of the minute.
    public var start: DeviceTime
    /// Its end.
    public var end: DeviceTime
    /// The share of the minute for which nothing is known.
    public var unknown: Double
    /// The share without tremor.
    public var none: Double
    /// The share with a tremor of less than 1 cm from peak to peak; Apple's grades are its own.
    public var slight: Double
    /// The share with one of 1 to 3 cm.
    public var mild: Double
    /// The share with one of 3 to 10 cm.
    public var moderate: Double
    /// The share with one of more than 10 cm.
    public var severe: Double
    /// The share with tremor while the arm is at rest; nil where Apple found the tremor.
    public var rest: Double?
    /// The share with tremor while the arm moves; nil like `rest`.
    public var action: Double?
    /// The mean frequency in Hz; nil without tremor.
    public var frequency: Double?
    /// The mean amplitude in cm, from peak to peak; nil without tremor.
    public var amplitude: Double?
    /// How it was found.
    public var method: TremorMethod
    /// How often the minute was published before with other values: a recorded one, whose samples came late.
    public var revision = 0
    /// The share of the minute that is known, 0-1.
    public var coverage: Double { 1 - unknown }

    /// A minute from `start` to `end`, nothing of it known yet.
    public init(start: DeviceTime, end: DeviceTime, method: TremorMethod = .spectral) {
        self.start = start
        self.end = end
        self.method = method
        (unknown, none, slight, mild, moderate, severe) = (1, 0, 0, 0, 0, 0)
        if method == .spectral { (rest, action) = (0, 0) }
    }
}
