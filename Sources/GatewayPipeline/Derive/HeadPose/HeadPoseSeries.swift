import TelemetryModel

/// The head poses of one frame.
package struct HeadPoseSeries: Sendable, Equatable {
    /// One sample.
    package struct Sample: Sendable, Equatable {
        /// When it was measured, on the device's clock in s.
        package var time: Double
        /// The pose.
        package var pose: HeadPose
        /// Whether the attitude agrees with the one that the rotation since the sample before predicts.
        package var agrees: Bool
    }

    /// The samples, in order of time.
    package var samples: [Sample] = []
}

extension HeadPoseSeries: SampleSeries {
    /// Their instants.
    package var timestamp: [Double] { samples.map(\.time) }

    /// `head-pose/series`.
    package static let kind = DerivedKind<Self>(
        "head-pose/series", retained: false, kept: false, samples: true,
        "The head poses of a frame as columns, up to every sample.",
        fields: [
            .timestamp,
            .init(
                "attitude", components: ["x", "y", "z", "w"],
                "The attitudes relative to the reference: conj(reference) x current."
            ) { $0.quaternions },
            .init("roll", type: .other, unit: "rad", "Roll of those attitudes, as in `CMAttitude`.") { $0.column(\.roll) },
            .init("pitch", type: .other, unit: "rad", "Pitch of those attitudes.") { $0.column(\.pitch) },
            .init("yaw", type: .other, unit: "rad", "Yaw of those attitudes; positive to the left.") { $0.column(\.yaw) },
            .init("sensorLocation", type: .text, "The headphone they were measured in; a column where it changed.") {
                let names = $0.samples.map(\.pose.sensorLocation.name)
                return names.common.map { .text($0) } ?? .texts(names)
            },
            .init("referenceAt", type: .instant, "When the reference was taken; a column where another was taken.") {
                let times = $0.samples.map(\.pose.referenceAt)
                return times.common.map { .instant($0) } ?? .columns(.instants(times.map(\.seconds)))
            },
            .sampleQuality(
                "Is 1 where the attitude is within 2 degrees of the one that the rotation since the sample before predicts; 0 where it is not, and where none is within 0.5 s before."
            ) { $0.samples.map(\.agrees) },
        ]
    ) { _ in "" }

    private var quaternions: FieldValue {
        var columns = QuaternionColumns()
        columns.reserveCapacity(samples.count)
        for sample in samples { columns.append(sample.pose.attitude) }
        return .columns(.quaternions(columns))
    }

    private func column(_ value: (HeadPose) -> Double) -> FieldValue { .columns(.numbers(samples.map { value($0.pose) })) }
}
