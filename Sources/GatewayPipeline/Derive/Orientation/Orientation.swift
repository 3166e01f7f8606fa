package import TelemetryModel

/// Where a device points, in a frame that knows north.
package struct Orientation: Sendable, Equatable {
    /// Where the device's back points, in rad clockwise from north, 0 up to 2 pi; nil straight up and down.
    package var azimuth: Double?
    /// How high it points, in rad over the horizon.
    package var elevation: Double
    /// The turn about the device's y axis in rad, as `CMAttitude` has it.
    package var roll: Double
    /// How far the heading may be off, in degrees; nil where the device does not know.
    package var accuracy: Double?
    /// Which north it is.
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
            .init("roll", unit: "rad", "The turn about the device's y axis, as `CMAttitude` has it.") { .number($0.roll) },
            .init("accuracy", unit: "degrees", "How far the heading may be off; null where the device does not know.") {
                .number($0.accuracy)
            },
            .init("frame", unit: "xMagneticNorthZVertical/xTrueNorthZVertical", "Which north it is.") {
                .text($0.frame.rawValue)
            },
        ]
    ) { $0.frame.rawValue }
}
