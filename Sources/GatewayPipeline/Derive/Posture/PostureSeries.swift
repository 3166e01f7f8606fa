/// The angles of a head to neutral in one frame, at 25 Hz.
package struct PostureSeries: Sendable, Equatable {
    /// One cell of 0.04 s.
    package struct Sample: Sendable, Equatable {
        /// Its middle, on the device's clock in s.
        package var time: Double
        /// The angle from front to back in rad.
        package var pitch: Double
        /// The angle from side to side in rad.
        package var roll: Double
        /// Whether the head was calm.
        package var isCalm: Bool
    }

    /// The samples, in order of time.
    package var samples: [Sample] = []
}

extension PostureSeries: SampleSeries {
    /// Their instants.
    package var timestamp: [Double] { samples.map(\.time) }

    /// `posture/series`.
    package static let kind = DerivedKind<Self>(
        "posture/series", retained: false, kept: false, samples: true,
        "The angles of a head to neutral as columns, up to 25 a second, smoothed as those of `posture`.",
        fields: [
            .timestamp,
            .init("pitch", type: .other, unit: "rad", "The angles to neutral, positive backwards.") {
                .columns(.numbers($0.samples.map(\.pitch)))
            },
            .init("roll", type: .other, unit: "rad", "The angles to neutral sideways, positive to the right.") {
                .columns(.numbers($0.samples.map(\.roll)))
            },
            .sampleQuality(
                "Is 1 where the head accelerated by less than 0.15 G, so that the direction of gravity is certain; 0 where it did not."
            ) { $0.samples.map(\.isCalm) },
        ]
    ) { _ in "" }
}
