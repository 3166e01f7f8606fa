/// What `CMMovementDisorderManager` found; at least one thing, at most 256 in each list.
public struct MovementDisorderResults: Sendable, Hashable {
    /// Shares of a minute by how much the wrist trembled; each 0 to 1, their sum 1.
    public struct Tremor: Sendable, Hashable {
        /// The start of the minute, in seconds since 1970.
        public var startDate: Double
        /// Its end, in seconds since 1970.
        public var endDate: Double
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

        /// Shares of a minute.
        public init(
            startDate: Double, endDate: Double, unknown: Double = 0, none: Double = 0, slight: Double = 0, mild: Double = 0,
            moderate: Double = 0, strong: Double = 0
        ) {
            (self.startDate, self.endDate) = (startDate, endDate)
            (self.unknown, self.none, self.slight) = (unknown, none, slight)
            (self.mild, self.moderate, self.strong) = (mild, moderate, strong)
        }
    }

    /// Shares of a minute by how likely dyskinesia was; each 0 to 1, their sum 1.
    public struct Dyskinesia: Sendable, Hashable {
        /// The start of the minute, in seconds since 1970.
        public var startDate: Double
        /// Its end, in seconds since 1970.
        public var endDate: Double
        /// Dyskinesia was unlikely.
        public var unlikely: Double
        /// Dyskinesia was likely.
        public var likely: Double

        /// Shares of a minute.
        public init(startDate: Double, endDate: Double, unlikely: Double, likely: Double) {
            (self.startDate, self.endDate, self.unlikely, self.likely) = (startDate, endDate, unlikely, likely)
        }
    }

    /// Tremor.
    public var tremor: [Tremor]
    /// Dyskinesia.
    public var dyskinesia: [Dyskinesia]

    /// Results.
    public init(tremor: [Tremor] = [], dyskinesia: [Dyskinesia] = []) {
        self.tremor = tremor
        self.dyskinesia = dyskinesia
    }

    /// Whether there is nothing to send.
    public var isEmpty: Bool { tremor.isEmpty && dyskinesia.isEmpty }
}
