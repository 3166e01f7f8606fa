import TelemetryModel

extension HeadPose: DerivedBody {
    /// `head-pose`.
    package static let kind = DerivedKind<Self>(
        "head-pose", retained: true, "Where a head points, relative to where it pointed when it was first calm.",
        fields: [
            .init(
                "attitude", components: ["x", "y", "z", "w"],
                "The attitude relative to the reference: conj(reference) x current."
            ) { .quaternion($0.attitude) },
            .number("roll", unit: "rad", "Roll of that attitude, as in `CMAttitude`.", \.roll),
            .number("pitch", unit: "rad", "Pitch of that attitude.", \.pitch),
            .number("yaw", unit: "rad", "Yaw of that attitude; positive to the left.", \.yaw),
            .text("sensorLocation", "The headphone it was measured in.", \.sensorLocation.name),
            .instant("referenceAt", "When the reference was taken.", \.referenceAt),
        ],
        view: KindView(
            .head, precedence: 1,
            cell: .init(.head, label: "head ") { fields in
                fields.number("yaw").map { [fields.isCurrent ? .text($0.degrees) : .text("? was \($0.degrees)", .was)] } ?? []
            },
            details: [.messages(1)], trend: "yaw",
            entities: [
                .init("head_yaw", "Head yaw", .field("yaw"), precision: 0, icon: "mdi:head-sync", isEnabledByDefault: false) {
                    let settings = $0[HeadPoseDerivation.self]
                    return max(settings.silenceSeconds, 1 / settings.rateHertz)
                }
            ])
    ) { "\($0.referenceAt.microseconds)" }
}

extension ViewColumn {
    /// Where a head points.
    static let head = ViewColumn("head", "Head", place: 4)
}
