/// What one frame of Apple's movement disorder results holds (`CMMovementDisorderManager`); either list may be empty.
public struct MovementDisorderResults: Sendable, Equatable {
    /// Shares of tremor, by their start.
    public var tremor: [TremorResult]
    /// Shares of dyskinesia, by their start.
    public var dyskinesia: [DyskineticSymptomResult]

    /// Results.
    public init(tremor: [TremorResult] = [], dyskinesia: [DyskineticSymptomResult] = []) {
        self.tremor = tremor
        self.dyskinesia = dyskinesia
    }
}

/// Shares of a minute by how much a wrist trembled (`CMTremorResult`); their sum is 1.
public struct TremorResult: Sendable, Equatable {
    /// The start of the minute, on the wall clock: it may lie days before the device's boot.
    public var start: UnixTime
    /// Its end.
    public var end: UnixTime
    /// Nothing is known.
    public var unknown: Double
    /// No tremor.
    public var none: Double
    /// Slight tremor.
    public var slight: Double
    /// Mild tremor.
    public var mild: Double
    /// Moderate tremor.
    public var moderate: Double
    /// Strong tremor.
    public var strong: Double

    /// Shares from `start` to `end`.
    public init(
        start: UnixTime, end: UnixTime, unknown: Double = 0, none: Double = 0, slight: Double = 0, mild: Double = 0,
        moderate: Double = 0, strong: Double = 0
    ) {
        (self.start, self.end) = (start, end)
        (self.unknown, self.none, self.slight) = (unknown, none, slight)
        (self.mild, self.moderate, self.strong) = (mild, moderate, strong)
    }
}

/// Shares of a minute by how likely dyskinesia was (`CMDyskineticSymptomResult`); their sum is 1.
public struct DyskineticSymptomResult: Sendable, Equatable {
    /// The start of the minute, on the wall clock.
    public var start: UnixTime
    /// Its end.
    public var end: UnixTime
    /// Dyskinesia was unlikely.
    public var unlikely: Double
    /// Dyskinesia was likely.
    public var likely: Double

    /// Shares from `start` to `end`.
    public init(start: UnixTime, end: UnixTime, unlikely: Double, likely: Double) {
        (self.start, self.end, self.unlikely, self.likely) = (start, end, unlikely, likely)
    }
}
