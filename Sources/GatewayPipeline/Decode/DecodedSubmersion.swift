package import TelemetryModel

/// What one submersion frame holds as the device wrote it: its own units, either clock, and the frame's own order.
package struct DecodedSubmersion: Sendable, Equatable {
    /// Entering and leaving the water.
    package var events: [Event]
    /// Depths and pressures.
    package var measurements: [Measurement]
    /// Water temperatures.
    package var temperatures: [Temperature]
    /// What the device could not do.
    package var errors: [Failure]
    /// The maximum depth that the device states; more than 0.
    package var maximumDepth: Quantity<LengthUnit>?

    /// Any of the four lists may be empty; an empty frame counts as activity only.
    package init(
        events: [Event] = [], measurements: [Measurement] = [], temperatures: [Temperature] = [], errors: [Failure] = [],
        maximumDepth: Quantity<LengthUnit>? = nil
    ) {
        self.events = events
        self.measurements = measurements
        self.temperatures = temperatures
        self.errors = errors
        self.maximumDepth = maximumDepth
    }
}

extension DecodedSubmersion {
    /// The memory that it takes, in bytes.
    var bytes: Int {
        events.count * MemoryLayout<Event>.stride + measurements.count * MemoryLayout<Measurement>.stride
            + temperatures.count * MemoryLayout<Temperature>.stride + errors.count * MemoryLayout<Failure>.stride
    }
}

/// An instant on the clock that the device used.
package enum Instant: Sendable, Equatable {
    /// `timestamp`: the device's monotonic clock.
    case device(DeviceTime)
    /// `date`: the device's wall clock.
    case unix(UnixTime)
}

extension DecodedSubmersion {
    /// One of `events`.
    package struct Event: Sendable, Equatable {
        /// When the water was entered or left.
        package var instant: Instant
        /// What is true from then on.
        package var state: SubmersionState

        /// An event at `instant`.
        package init(instant: Instant, state: SubmersionState) {
            self.instant = instant
            self.state = state
        }
    }

    /// One of `measurements`; every value is finite, none is judged.
    package struct Measurement: Sendable, Equatable {
        /// When it was measured.
        package var instant: Instant
        /// Depth, positive downwards.
        package var depth: Quantity<LengthUnit>?
        /// Absolute pressure of the water.
        package var pressure: Quantity<PressureUnit>?
        /// Absolute pressure of the air at the surface.
        package var surfacePressure: Quantity<PressureUnit>?
        /// The device's own depth state; nil also for a raw value newer than this gateway.
        package var submersionState: DepthState?

        /// A measurement at `instant`; everything else may be missing.
        package init(
            instant: Instant, depth: Quantity<LengthUnit>? = nil, pressure: Quantity<PressureUnit>? = nil,
            surfacePressure: Quantity<PressureUnit>? = nil, submersionState: DepthState? = nil
        ) {
            self.instant = instant
            self.depth = depth
            self.pressure = pressure
            self.surfacePressure = surfacePressure
            self.submersionState = submersionState
        }
    }

    /// One of `temperatures`.
    package struct Temperature: Sendable, Equatable {
        /// When it was measured.
        package var instant: Instant
        /// A point on the unit's scale.
        package var temperature: Quantity<TemperatureUnit>
        /// A difference on the unit's scale, 0 or more.
        package var uncertainty: Quantity<TemperatureUnit>

        /// A temperature at `instant`.
        package init(instant: Instant, temperature: Quantity<TemperatureUnit>, uncertainty: Quantity<TemperatureUnit>) {
            self.instant = instant
            self.temperature = temperature
            self.uncertainty = uncertainty
        }
    }

    /// One of `errors`.
    package struct Failure: Sendable, Equatable {
        /// When it was reported.
        package var instant: Instant
        /// A raw value of the `CMErrorDomain`.
        package var code: Int

        /// An error at `instant`.
        package init(instant: Instant, code: Int) {
            self.instant = instant
            self.code = code
        }
    }
}
