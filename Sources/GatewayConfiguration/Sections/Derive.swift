extension GatewayConfiguration {
    /// The thresholds of everything that is derived; ``GatewayConfiguration/deriveFingerprint`` changes with any of them.
    package struct Derive: Sendable, Equatable {
        /// Depth state, dives and water temperature.
        package var depth = Depth()
        /// Impacts and swings.
        package var swing = Swing()
        /// The connection of headphones.
        package var headphone = Headphone()
        /// The connection of devices.
        package var device = Device()
        /// The pose of the head.
        package var pose = Pose()
        /// Forehand and backhand.
        package var stroke = Stroke()

        /// Makes a section in which every setting has its default.
        package init() {}
    }
}

extension GatewayConfiguration.Derive {
    /// The connection of headphones.
    package struct Headphone: Sendable, Equatable {
        /// How long connected headphones may send nothing before they are `silent`, in seconds, 0.05 to 3,600; default 2.
        package var silenceSeconds = 2.0

        /// Makes a section in which every setting has its default.
        package init() {}
    }

    /// The connection of devices.
    package struct Device: Sendable, Equatable {
        /// How long a device that was streaming may send nothing before it is `silent`, in seconds, 0.05 to 86,400; default 30.
        package var silenceSeconds = 30.0
        /// How late frames may arrive without counting as silence, in seconds, 0 to 3,600; default 0. A watch behind a phone may need 10.
        package var lagAllowanceSeconds = 0.0

        /// Makes a section in which every setting has its default.
        package init() {}
    }

    /// The pose of the head relative to how it was held at first.
    package struct Pose: Sendable, Equatable {
        /// How often a pose is published, in hertz of device time, 0.1 to 100; default 10.
        package var rateHertz = 10.0
        /// How long the head must be calm before its attitude becomes the reference, in seconds, 0.01 to 60; default 0.3.
        package var calmSeconds = 0.3
        /// The user acceleration under which the head is calm, in G, 0.001 to 10; default 0.15.
        package var calmAccelerationG = 0.15
        /// How far an attitude step may differ from the rotation rate's, in degrees, 0.01 to 180; default 2.
        package var agreementDegrees = 2.0

        /// Makes a section in which every setting has its default.
        package init() {}
    }
}

extension GatewayConfiguration.Derive {
    static let settings = Depth.settings + Swing.settings + connectionAndPose + Stroke.settings

    private static let connectionAndPose: [Setting] = [
        Setting(
            "derive.headphone.silenceSeconds", \.derive.headphone.silenceSeconds, in: .from(0.05, to: 3_600), unit: "seconds",
            "How long connected headphones may be send nothing before they are silent"),
        Setting(
            "derive.device.silenceSeconds", \.derive.device.silenceSeconds, in: .from(0.05, to: 86_400), unit: "seconds",
            "How long a streaming device may send nothing before it is silent"),
        Setting(
            "derive.device.lagAllowanceSeconds", \.derive.device.lagAllowanceSeconds, in: .from(0, to: 3_600), unit: "seconds",
            "How late frames may be without counting as silence; 10 for a watch behind a phone"),
        Setting(
            "derive.pose.rateHertz", \.derive.pose.rateHertz, in: .from(0.1, to: 100), unit: "hertz",
            "How often a head pose is published"),
        Setting(
            "derive.pose.calmSeconds", \.derive.pose.calmSeconds, in: .from(0.01, to: 60), unit: "seconds",
            "How long the head must be calm before its attitude is the reference"),
        Setting(
            "derive.pose.calmAccelerationG", \.derive.pose.calmAccelerationG, in: .from(0.001, to: 10), unit: "G",
            "The user acceleration under which the head is calm"),
        Setting(
            "derive.pose.agreementDegrees", \.derive.pose.agreementDegrees, in: .from(0.01, to: 180), unit: "degrees",
            "How far an attitude step may differ from the rotation rate's"),
    ]
}
