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
            .init("azimuth", unit: "rad", "Clockwise from north, 0 up to 2 pi; null straight up and down.") {
                .number($0.azimuth)
            },
            .init("elevation", unit: "rad", "Over the horizon; negative below it.") { .number($0.elevation) },
            .init("roll", unit: "rad", "The turn about the device's y axis, as in `CMAttitude`.") { .number($0.roll) },
            .init("accuracy", unit: "degrees", "How far the heading may be off; null where the device does not report it.") {
                .number($0.accuracy)
            },
            .init("frame", type: .text, "The reference frame: magnetic or true north.") {
                .text($0.frame.rawValue)
            },
        ]
    ) { $0.frame.rawValue }
}
