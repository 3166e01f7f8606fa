/// What one pedometer frame holds, each list sorted by time.
public struct PedometerSamples: Sendable, Equatable {
    /// Counts, by the end of their period.
    public var data: [PedometerData]
    /// Pauses and resumptions.
    public var events: [PedometerEvent]
    /// Whether the sender can report pauses at all; false where an app sends counts only.
    public var tracksEvents: Bool

    /// Either list may be empty.
    public init(data: [PedometerData] = [], events: [PedometerEvent] = [], tracksEvents: Bool = true) {
        self.data = data
        self.events = events
        self.tracksEvents = tracksEvents
    }
}

/// Counts since a start (`CMPedometerData`).
public struct PedometerData: Sendable, Equatable {
    /// When counting began; may lie before the device's boot. Equal to `end` where that is not known.
    public var start: DeviceTime
    /// `start` as the device wrote it. It identifies the counter: of all counts with one start each includes those
    /// before it. Nil for the only counter of a device that states none.
    public var startDate: UnixTime?
    /// Until when.
    public var end: DeviceTime
    /// Steps, 0 or more.
    public var steps: Int
    /// Distance in m; nil where it is not measured.
    public var distance: Double?
    /// Floors climbed; nil where they are not measured.
    public var floorsAscended: Int?
    /// Floors descended; nil where they are not measured.
    public var floorsDescended: Int?
    /// The pace now in s/m, as the device has it.
    public var currentPace: Double?
    /// The cadence now in steps/s, as the device has it.
    public var currentCadence: Double?
    /// The mean pace while active in s/m, as the device has it.
    public var averageActivePace: Double?

    /// A count from `start` to `end`.
    public init(
        start: DeviceTime, startDate: UnixTime?, end: DeviceTime, steps: Int, distance: Double? = nil,
        floorsAscended: Int? = nil, floorsDescended: Int? = nil, currentPace: Double? = nil, currentCadence: Double? = nil,
        averageActivePace: Double? = nil
    ) {
        self.start = start
        self.startDate = startDate
        self.end = end
        self.steps = steps
        self.distance = distance
        self.floorsAscended = floorsAscended
        self.floorsDescended = floorsDescended
        self.currentPace = currentPace
        self.currentCadence = currentCadence
        self.averageActivePace = averageActivePace
    }
}

/// A pause or a resumption of walking or running (`CMPedometerEvent`, raw 0 and 1).
public struct PedometerEvent: Sendable, Equatable {
    /// The two types.
    public enum Kind: Int, Sendable, Codable, CaseIterable {
        /// The user stopped.
        case pause = 0
        /// The user went on.
        case resume = 1

        /// Core Motion's name of the case.
        public var name: String { self == .pause ? "pause" : "resume" }
    }

    /// Which of the two.
    public var kind: Kind
    /// When the movement paused or went on.
    public var time: DeviceTime

    /// An event at `time`.
    public init(kind: Kind, time: DeviceTime) {
        self.kind = kind
        self.time = time
    }
}

extension PedometerSamples {
    /// How much older than the newest instant, in s, the others may be and still count as the present.
    private static let presentSeconds = 60.0

    /// The device times of the newest instant and those shortly before it: the rest of the frame is history, which was sent late
    /// and must not hold up the present. Nil of an empty frame.
    public var timeSpan: ClosedRange<DeviceTime>? {
        let times = data.map(\.end) + events.map(\.time)
        guard let newest = times.max() else { return nil }
        return (times.filter { newest - $0 <= Self.presentSeconds }.min() ?? newest)...newest
    }
}
