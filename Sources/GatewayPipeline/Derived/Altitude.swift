/// How high a device is, and how far it has gone up and down.
package struct Altitude: Sendable, Equatable {
    /// Metres over the start of the session.
    package var relativeAltitude: Double
    /// Metres over the sea; nil where the device does not measure it.
    package var altitude: Double?
    /// How far `altitude` may be off in m.
    package var accuracy: Double?
    /// The step in m that `altitude` is worth showing in.
    package var precision: Double?
    /// The air pressure in kPa; nil where it was not sent.
    package var pressure: Double?
    /// Metres up in the session.
    package var ascent: Double
    /// Metres down in the session, 0 or more.
    package var descent: Double
    /// Metres a minute over the last 30 s; nil before that much is known.
    package var verticalSpeed: Double?
    /// Whole floors of 3 m between the start and now, 0 or more.
    package var floors: Int
}
