/// What `CMPedometer` has reported since the last frame; at least one thing, at most 256 in each list.
public struct PedometerReadings: Sendable, Hashable {
    /// What was counted from one instant to another.
    ///
    /// Updates of one `startUpdates(from:)` have one start, and each includes those before it: send them as they are.
    public struct Count: Sendable, Hashable {
        /// When counting began, in seconds since 1970.
        public var startDate: Double
        /// Until when, in seconds since 1970; not before `startDate`.
        public var endDate: Double
        /// Steps, 0 or more.
        public var steps: Int
        /// Distance in m; nil where it is not measured.
        public var distance: Double?
        /// Floors climbed; nil where they are not measured.
        public var floorsAscended: Int?
        /// Floors descended; nil where they are not measured.
        public var floorsDescended: Int?
        /// The pace now in s/m; nil where it is not known.
        public var currentPace: Double?
        /// The cadence now in steps/s; nil where it is not known.
        public var currentCadence: Double?
        /// The mean pace while active in s/m; nil where it is not known.
        public var averageActivePace: Double?

        /// A count.
        public init(
            startDate: Double, endDate: Double, steps: Int, distance: Double? = nil, floorsAscended: Int? = nil,
            floorsDescended: Int? = nil, currentPace: Double? = nil, currentCadence: Double? = nil,
            averageActivePace: Double? = nil
        ) {
            self.startDate = startDate
            self.endDate = endDate
            self.steps = steps
            self.distance = distance
            self.floorsAscended = floorsAscended
            self.floorsDescended = floorsDescended
            self.currentPace = currentPace
            self.currentCadence = currentCadence
            self.averageActivePace = averageActivePace
        }
    }

    /// A pause or a resumption.
    public struct Event: Sendable, Hashable {
        /// Which of the two.
        public var kind: PedometerEvent.Kind
        /// When, in seconds since 1970.
        public var date: Double

        /// An event at `date`.
        public init(_ kind: PedometerEvent.Kind, date: Double) {
            self.kind = kind
            self.date = date
        }
    }

    /// Counts.
    public var data: [Count]
    /// Pauses and resumptions.
    public var events: [Event]

    /// Readings.
    public init(data: [Count] = [], events: [Event] = []) {
        self.data = data
        self.events = events
    }

    /// Whether there is nothing to send.
    public var isEmpty: Bool { data.isEmpty && events.isEmpty }
}
