package import TelemetryModel

/// The device motion of one frame: of a raw sensor what the gateway has computed.
package struct AttitudeSeries: Sendable, Equatable {
    /// The stream.
    package var stream: StreamName
    /// The frame's samples; not raw.
    package var samples: MotionSamples
    /// Those that the series has, increasing.
    package var places: [Place] = []

    /// A sample of the frame.
    package struct Place: Sendable, Equatable {
        /// Its place in the frame.
        package var index: Int
        /// Whether the attitude agrees with the one that the rotation since the sample before predicts.
        package var agrees: Bool
    }
}

extension AttitudeSeries: SampleSeries {
    /// Their instants.
    package var timestamp: [Double] { column(samples.timestamp) }

    /// `attitude/series`.
    package static let kind = DerivedKind<Self>(
        "attitude/series", retained: false, kept: false, samples: true, perStream: true,
        "The device motion of a frame as columns, as the device computed it, or as the gateway did from raw sensors.",
        fields: [
            .timestamp,
            .init(
                "attitude", components: ["x", "y", "z", "w"], "Device relative to the reference frame, unit quaternions."
            ) { series in
                let all = series.samples.attitude
                return .columns(
                    .quaternions(
                        QuaternionColumns(
                            x: series.column(all.x), y: series.column(all.y), z: series.column(all.z), w: series.column(all.w))))
            },
            .init(
                "gravity", unit: "G", components: ["x", "y", "z"],
                "Gravity in device axes, of unit length, downwards."
            ) { $0.vectors($0.samples.gravity) },
            .init(
                "userAcceleration", unit: "G", components: ["x", "y", "z"],
                "Acceleration without gravity, in device axes."
            ) { $0.vectors($0.samples.userAcceleration) },
        ]
            + DeviceAttitude.sourceFields { ($0.samples.source.fused, $0.samples.referenceFrame) }
            + [
                .sampleQuality(
                    "Is 1 where the attitude is within 2 degrees of the one that the rotation since the sample before predicts; 0 where it is not, where none is within 0.5 s before, and where the heading began anew."
                ) { $0.places.map(\.agrees) }
            ]
    ) { $0.stream.rawValue }

    /// What the series has of a column of the frame: mostly all of it.
    private func column(_ all: [Double]) -> [Double] {
        places.count == all.count ? all : places.map { all[$0.index] }
    }

    private func vectors(_ all: VectorColumns) -> FieldValue {
        .columns(.vectors(VectorColumns(x: column(all.x), y: column(all.y), z: column(all.z))))
    }
}
