/// When something was measured.
public enum ReadingTime: Sendable, Hashable {
    /// Seconds of the monotonic clock.
    case timestamp(Double)
    /// Seconds since 1970, as the dates of `CMWaterSubmersionManager` are: 2001 to 2100.
    case date(Double)
}

/// What `CMWaterSubmersionManager` has reported since the last frame; at least one thing, at most 256 in each list.
public struct SubmersionReadings: Sendable, Hashable {
    /// The water was entered or left.
    public struct Event: Sendable, Hashable {
        /// When the water was entered or left.
        public var time: ReadingTime
        /// What is true from then on.
        public var state: SubmersionState

        /// An event.
        public init(time: ReadingTime, state: SubmersionState) {
            self.time = time
            self.state = state
        }
    }

    /// One measurement of depth and pressure.
    public struct Measurement: Sendable, Hashable {
        /// When it was measured.
        public var time: ReadingTime
        /// Depth in m; nil where it is withheld.
        public var depth: Double?
        /// Pressure of the water in kPa; nil where it is withheld.
        public var pressure: Double?
        /// Pressure of the air at the surface in kPa.
        public var surfacePressure: Double?
        /// The device's own view of the depth.
        public var submersionState: DepthState?

        /// A measurement.
        public init(
            time: ReadingTime, depth: Double? = nil, pressure: Double? = nil, surfacePressure: Double? = nil,
            submersionState: DepthState? = nil
        ) {
            self.time = time
            self.depth = depth
            self.pressure = pressure
            self.surfacePressure = surfacePressure
            self.submersionState = submersionState
        }
    }

    /// One temperature of the water.
    public struct Temperature: Sendable, Hashable {
        /// When it was measured.
        public var time: ReadingTime
        /// Degrees Celsius.
        public var temperature: Double
        /// A difference in degrees Celsius: 0 or more.
        public var uncertainty: Double

        /// A temperature.
        public init(time: ReadingTime, temperature: Double, uncertainty: Double) {
            self.time = time
            self.temperature = temperature
            self.uncertainty = uncertainty
        }
    }

    /// An error that the manager reported.
    public struct Failure: Sendable, Hashable {
        /// When it was reported.
        public var time: ReadingTime
        /// The raw value of the `CMError`.
        public var code: Int

        /// An error.
        public init(time: ReadingTime, code: Int) {
            self.time = time
            self.code = code
        }
    }

    /// Water entered or left.
    public var events: [Event]
    /// Depths.
    public var measurements: [Measurement]
    /// Temperatures.
    public var temperatures: [Temperature]
    /// Errors.
    public var errors: [Failure]
    /// The deepest that the device may measure, in m: 1 or more.
    public var maximumDepth: Double?

    /// Readings.
    public init(
        events: [Event] = [], measurements: [Measurement] = [], temperatures: [Temperature] = [], errors: [Failure] = [],
        maximumDepth: Double? = nil
    ) {
        self.events = events
        self.measurements = measurements
        self.temperatures = temperatures
        self.errors = errors
        self.maximumDepth = maximumDepth
    }

    /// Whether there is nothing to send.
    public var isEmpty: Bool {
        events.isEmpty && measurements.isEmpty && temperatures.isEmpty && errors.isEmpty && maximumDepth == nil
    }
}
