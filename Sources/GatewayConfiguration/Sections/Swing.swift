extension GatewayConfiguration.Derive {
    /// Impacts and swings, from 800 Hz acceleration and 200 Hz device motion.
    package struct Swing: Sendable, Equatable {
        /// The acceleration in which impacts are looked for; default its magnitude.
        package var impactAxis = ImpactAxis.magnitude
        /// The corner of the high-pass filter before the peak is taken, in hertz, 0.1 to 300; default 20.
        package var highPassHertz = 20.0
        /// The filtered peak that is an impact, in G, 0.1 to 100; default 5.
        package var impactThresholdG = 5.0
        /// The time after an impact in which there is no other, in seconds, 0 to 10; default 0.3.
        package var refractorySeconds = 0.3
        /// The rotation rate about gravity above which a swing may be under way, in radians a second, 0.01 to 50; default 1.
        package var candidateRateRadiansPerSecond = 1.0
        /// The peak rate a swing must pass, in radians a second, 0.01 to 100; default 8.
        package var candidatePeakRadiansPerSecond = 8.0
        /// How long the rate may fall under the candidate rate without ending the swing, in seconds, 0 to 1; default 0.025.
        package var interruptionSeconds = 0.025
        /// How far before its impact a swing may start, in seconds, 0.05 to 5; default 0.8.
        package var lookBackSeconds = 0.8
        /// The least rotation of a swing, in radians, 0 to 100; default 0.8.
        package var minimumRotationRadians = 0.8
        /// The greatest rotation of a swing, in radians, 0 to 100; default 7.
        package var maximumRotationRadians = 7.0
        /// How long a swing waits for the stream it lacks, in seconds of device time, 0 to 60; default 2.5.
        package var waitSeconds = 2.5

        /// Makes a section in which every setting has its default.
        package init() {}
    }
}

extension GatewayConfiguration.Derive.Swing {
    /// A signal taken from three axes of acceleration.
    package enum ImpactAxis: String, Sendable, CaseIterable {
        /// The length of the vector.
        case magnitude
        /// The device's x axis.
        case x
        /// The device's y axis.
        case y
        /// The device's z axis.
        case z
    }
}

extension GatewayConfiguration.Derive.Swing {
    static let settings: [Setting] = [
        Setting("derive.swing.impactAxis", \.derive.swing.impactAxis, "The acceleration in which impacts are looked for"),
        Setting(
            "derive.swing.highPassHertz", \.derive.swing.highPassHertz, in: .from(0.1, to: 300), unit: "hertz",
            "The corner of the high-pass filter"),
        Setting(
            "derive.swing.impactThresholdG", \.derive.swing.impactThresholdG, in: .from(0.1, to: 100), unit: "G",
            "The filtered peak that is an impact"),
        Setting(
            "derive.swing.refractorySeconds", \.derive.swing.refractorySeconds, in: .from(0, to: 10), unit: "seconds",
            "The time after an impact in which there is no other"),
        Setting(
            "derive.swing.candidateRateRadiansPerSecond", \.derive.swing.candidateRateRadiansPerSecond, in: .from(0.01, to: 50),
            unit: "radians a second", "The rotation rate above which a swing may be under way"),
        Setting(
            "derive.swing.candidatePeakRadiansPerSecond", \.derive.swing.candidatePeakRadiansPerSecond, in: .from(0.01, to: 100),
            unit: "radians a second", "The peak rate that a swing must pass"),
        Setting(
            "derive.swing.interruptionSeconds", \.derive.swing.interruptionSeconds, in: .from(0, to: 1), unit: "seconds",
            "How long the rate may fall without ending the swing"),
        Setting(
            "derive.swing.lookBackSeconds", \.derive.swing.lookBackSeconds, in: .from(0.05, to: 5), unit: "seconds",
            "How far before its impact a swing may start"),
        Setting(
            "derive.swing.minimumRotationRadians", \.derive.swing.minimumRotationRadians, in: .from(0, to: 100), unit: "radians",
            "The least rotation of a swing"),
        Setting(
            "derive.swing.maximumRotationRadians", \.derive.swing.maximumRotationRadians, in: .from(0, to: 100), unit: "radians",
            "The greatest rotation of a swing"),
        Setting(
            "derive.swing.waitSeconds", \.derive.swing.waitSeconds, in: .from(0, to: 60), unit: "seconds",
            "How long a swing waits for the stream it lacks"),
    ]
}
