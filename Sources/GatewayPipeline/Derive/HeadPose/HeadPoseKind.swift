package import TelemetryModel

extension HeadPose: DerivedBody {
    /// `head-pose`.
    package static let kind = DerivedKind<Self>(
        "head-pose", retained: true, "Where a head points, relative to where it pointed when it was first calm.",
        fields: [
            .init(
                "attitude", components: ["x", "y", "z", "w"],
                "The attitude relative to the reference: conj(reference) x current."
            ) { .quaternion($0.attitude) },
            .init("roll", unit: "rad", "Roll of that attitude, as in `CMAttitude`.") { .number($0.roll) },
            .init("pitch", unit: "rad", "Pitch of that attitude.") { .number($0.pitch) },
            .init("yaw", unit: "rad", "Yaw of that attitude; positive to the left.") { .number($0.yaw) },
            .init("sensorLocation", "The headphone it was measured in.") { .text($0.sensorLocation.name) },
            .init("referenceAt", "When the reference was taken.") { .instant($0.referenceAt) },
        ]
    ) { "\($0.referenceAt.microseconds)" }
}
