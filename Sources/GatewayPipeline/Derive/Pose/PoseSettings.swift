import TelemetryModel

/// The settings of poses.
package struct PoseSettings: DerivationSettings {
    /// Templates for all devices.
    package var templates: [PoseTemplate] = []
    /// The angle to a template under which its pose begins, in degrees.
    package var enterDegrees = 20.0
    /// The angle to the template over which the pose ends, in degrees.
    package var leaveDegrees = 28.0
    /// The angular speed under which the wrist is still, in degrees/s.
    package var stillDegreesPerSecond = 15.0
    /// The angular speed over which the pose ends, in degrees/s.
    package var leaveDegreesPerSecond = 60.0
    /// How long a pose must be kept before it counts, in s.
    package var enterSeconds = 1.0
    /// How long it must be left before it has ended, in s.
    package var leaveSeconds = 0.5
    /// How long the wrist must be calm for a template to be learned, in s.
    package var learnSeconds = 2.0
    /// How often a pose is published, in s.
    package var intervalSeconds = 2.0
    /// How long it is valid without another, in s.
    package var validSeconds = 5.0
    /// Whether x and y of the device's axes are turned: the crown is on the left. Not configurable.
    package var turnsAxes = false

    /// The defaults.
    package init() {}

    /// `derive.bodyPose`.
    package static let table: [DerivationSetting<Self>] = [
        .list(
            "templates", \.templates,
            form: "a name and x, y and z of gravity in the device's axes, such as: warrior 0.1 -0.9 0.4",
            "The poses of all devices; a device learns others by the command learnPose"),
        .number(
            "enterDegrees", \.enterDegrees, in: 1...60, unit: "degrees", "The angle to a template under which its pose begins"),
        .number(
            "leaveDegrees", \.leaveDegrees, in: 1...90, unit: "degrees", "The angle to the template over which the pose ends"),
        .number("enterSeconds", \.enterSeconds, in: 0.1...10, unit: "seconds", "How long a pose must be kept before it counts"),
    ]

    /// What must agree.
    package static let rules = [
        DerivationRule<Self>(
            "enterDegrees", "leaveDegrees", agreement: "a pose must begin nearer to its template than it ends"
        ) { $0.enterDegrees >= $0.leaveDegrees },
        DerivationRule<Self>("templates", agreement: "each pose needs a name of its own") {
            Set($0.templates.map(\.name)).count < $0.templates.count
        },
        DerivationRule<Self>(
            "templates",
            agreement: "poses must be at least 25 degrees apart: gravity does not change with a rotation about the vertical"
        ) { settings in
            settings.templates.indices.contains { index in
                settings.templates[..<index].contains {
                    $0.angle(to: settings.templates[index].gravity) < 25 * .pi / 180
                }
            }
        },
    ]

    /// A crown on the left turns x and y of the device's axes.
    package func resolved(for device: DeviceFacts) -> Self {
        var settings = self
        settings.turnsAxes = device.traits.crown == .left
        return settings
    }
}
