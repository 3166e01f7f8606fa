/// What `CMAltimeter` has reported since the last frame, each list in order of time and of at most 4,096 entries; one may be empty.
public struct AltimeterReadings: Sendable, Hashable {
    /// Altitude over the start of the updates, with the pressure of the air (`CMAltitudeData`).
    public struct Relative: Sendable, Hashable {
        /// Seconds of the monotonic clock.
        public var timestamp: Double
        /// Altitude over the first one in m: -9,500 to 9,500.
        public var relativeAltitude: Double
        /// Pressure in kPa: 30 to 120.
        public var pressure: Double

        /// A sample.
        public init(timestamp: Double, relativeAltitude: Double, pressure: Double) {
            self.timestamp = timestamp
            self.relativeAltitude = relativeAltitude
            self.pressure = pressure
        }
    }

    /// Altitude over the sea (`CMAbsoluteAltitudeData`).
    public struct Absolute: Sendable, Hashable {
        /// Seconds of the monotonic clock.
        public var timestamp: Double
        /// Altitude in m: -500 to 9,000.
        public var altitude: Double
        /// How far it may be off in m, 0 to 9,500.
        public var accuracy: Double
        /// The step in m that it is worth showing in, 0 to 9,500.
        public var precision: Double

        /// A sample.
        public init(timestamp: Double, altitude: Double, accuracy: Double, precision: Double) {
            self.timestamp = timestamp
            self.altitude = altitude
            self.accuracy = accuracy
            self.precision = precision
        }
    }

    /// Altitudes over the start of the updates.
    public var relative: [Relative]
    /// Altitudes over the sea.
    public var absolute: [Absolute]

    /// Readings.
    public init(relative: [Relative] = [], absolute: [Absolute] = []) {
        self.relative = relative
        self.absolute = absolute
    }

    /// Whether there is nothing to send.
    public var isEmpty: Bool { relative.isEmpty && absolute.isEmpty }
}
