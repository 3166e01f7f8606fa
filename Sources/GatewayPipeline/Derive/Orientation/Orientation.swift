package import TelemetryModel

/// Where a device points, in a reference frame with north.
package struct Orientation: Sendable, Equatable {
    /// Where the device's back points, in rad clockwise from north, 0 up to 2 pi; nil straight up and down.
    package var azimuth: Double?
    /// How high it points, in rad over the horizon.
    package var elevation: Double
    /// The turn about the device's y axis in rad, as in `CMAttitude`.
    package var roll: Double
    /// How far the heading may be off, in degrees; nil where the device does not report it.
    package var accuracy: Double?
    /// The reference frame: magnetic or true north.
    package var frame: ReferenceFrame
}

extension Orientation: DerivedBody {
    /// `orientation`.
    package static let kind = DerivedKind<Self>(
        "orientation", retained: true, "Where the back of a device points, such as the camera of a phone.",
        fields: [
            .number("azimuth", unit: "rad", "Clockwise from north, 0 up to 2 pi; null straight up and down.", \.azimuth),
            .number("elevation", unit: "rad", "Over the horizon; negative below it.", \.elevation),
            .number("roll", unit: "rad", "The turn about the device's y axis, as in `CMAttitude`.", \.roll),
            .number(
                "accuracy", unit: "degrees", "How far the heading may be off; null where the device does not report it.",
                \.accuracy),
            .text("frame", "The reference frame: magnetic or true north.", \.frame.rawValue),
        ]
    ) { $0.frame.rawValue }
}
