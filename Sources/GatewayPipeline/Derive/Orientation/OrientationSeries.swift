import TelemetryModel

/// The orientations of one frame.
package struct OrientationSeries: Sendable, Equatable {
    /// One sample.
    package struct Sample: Sendable, Equatable {
        /// When it was measured, on the device's clock in s.
        package var time: Double
        /// The orientation.
        package var orientation: Orientation
    }

    /// The samples, in order of time; all in one reference frame.
    package var samples: [Sample] = []
}

extension OrientationSeries: SampleSeries {
    /// Their instants.
    package var timestamp: [Double] { samples.map(\.time) }

    /// `orientation/series`.
    package static let kind = DerivedKind<Self>(
        "orientation/series", retained: false, kept: false, samples: true,
        "The orientations of a frame as columns, up to every sample.",
        fields: [
            .timestamp,
            .init("azimuth", unit: "rad", "Clockwise from north, 0 up to 2 pi; null straight up and down.") {
                $0.column(\.azimuth)
            },
            .init("elevation", unit: "rad", "Over the horizon; negative below it.") { $0.column(\.elevation) },
            .init("roll", unit: "rad", "The turn about the device's y axis, as in `CMAttitude`.") {
                $0.column(\.roll)
            },
            .init(
                "accuracy", unit: "degrees",
                "How far each heading may be off, which is the quality of the sample; null where the device does not report it."
            ) { $0.column(\.accuracy) },
            .text("frame", "The reference frame: magnetic or true north.", \.samples.first?.orientation.frame.rawValue),
        ]
    ) { $0.samples.first?.orientation.frame.rawValue ?? "" }

    private func column(_ value: (Orientation) -> Double?) -> FieldValue {
        .columns(.numbers(samples.map { value($0.orientation) }))
    }
}
