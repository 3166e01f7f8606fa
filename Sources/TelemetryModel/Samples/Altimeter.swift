/// What one altimeter frame holds: relative altitude and pressure, absolute altitude, or both.
public struct AltimeterSamples: Sendable, Equatable {
    /// Device time of each sample in seconds, strictly increasing; empty where there are only absolute altitudes.
    public var timestamp: [Double]
    /// The altitude over that of the first sample in m; nil where it was not sent.
    public var relativeAltitude: [Double]?
    /// The air pressure in kPa; nil where it was not sent.
    public var pressure: [Double]?
    /// Altitudes over the sea; nil where none were sent.
    public var absolute: AbsoluteAltitudeSamples?

    /// Columns as long as `timestamp`.
    public init(
        timestamp: [Double] = [], relativeAltitude: [Double]? = nil, pressure: [Double]? = nil,
        absolute: AbsoluteAltitudeSamples? = nil
    ) {
        self.timestamp = timestamp
        self.relativeAltitude = relativeAltitude
        self.pressure = pressure
        self.absolute = absolute
    }
}

/// Altitudes over the sea (`CMAbsoluteAltitudeData`), all columns equally long.
public struct AbsoluteAltitudeSamples: Sendable, Equatable {
    /// Device time in seconds, strictly increasing.
    public var timestamp: [Double]
    /// Altitude in m.
    public var altitude: [Double]
    /// How far it may be off (one standard deviation) in m.
    public var accuracy: [Double]
    /// The step in m that it is worth showing in.
    public var precision: [Double]

    /// Columns of equal length.
    public init(timestamp: [Double], altitude: [Double], accuracy: [Double], precision: [Double]) {
        self.timestamp = timestamp
        self.altitude = altitude
        self.accuracy = accuracy
        self.precision = precision
    }
}
