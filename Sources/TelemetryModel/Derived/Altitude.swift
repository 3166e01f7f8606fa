/// How high a device is, and how far it has gone up and down.
public struct Altitude: Sendable, Equatable {
    /// Metres over the start of the session.
    public var relativeAltitude: Double
    /// Metres over the sea; nil where the device does not measure it.
    public var altitude: Double?
    /// How far `altitude` may be off in m.
    public var accuracy: Double?
    /// The step in m that `altitude` is worth showing in.
    public var precision: Double?
    /// The air pressure in kPa; nil where it was not sent.
    public var pressure: Double?
    /// Metres up in the session.
    public var ascent: Double
    /// Metres down in the session, 0 or more.
    public var descent: Double
    /// Metres a minute over the last 30 s; nil before that much is known.
    public var verticalSpeed: Double?
    /// Whole floors of 3 m between the start and now, 0 or more.
    public var floors: Int

    /// An altitude.
    public init(
        relativeAltitude: Double, altitude: Double? = nil, accuracy: Double? = nil, precision: Double? = nil,
        pressure: Double? = nil, ascent: Double, descent: Double, verticalSpeed: Double? = nil, floors: Int
    ) {
        self.relativeAltitude = relativeAltitude
        self.altitude = altitude
        self.accuracy = accuracy
        self.precision = precision
        self.pressure = pressure
        self.ascent = ascent
        self.descent = descent
        self.verticalSpeed = verticalSpeed
        self.floors = floors
    }
}
