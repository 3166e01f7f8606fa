/// The settings of impacts and swings; the configuration checks the ranges.
package struct SwingSettings: DerivationSettings {
    /// The signal in which impacts are detected.
    package var impactAxis = ImpactAxis.magnitude
    /// Corner of the high-pass filter before the impact threshold, in Hz: above 0 and below half of `accelerometerHertz`.
    package var highPassHertz = 20.0
    /// The threshold of the filtered acceleration for an impact, in G; above 0.
    package var impactThresholdG = 5.0
    /// Of several peaks closer together than this, in seconds, only the greatest is an impact; 0 or more.
    package var refractorySeconds = 0.3
    /// The threshold of |rotationRate . gravity| throughout a candidate, in rad/s; above 0.
    package var candidateRate = 1.0
    /// The threshold of the greatest |rotationRate . gravity| in a candidate, in rad/s; at least `candidateRate`.
    package var candidatePeak = 8.0
    /// The shortest stretch at or under `candidateRate`, in seconds, that ends a candidate; above 0.
    package var interruptionSeconds = 0.025
    /// The longest time from a swing's start to its impact, in seconds; above 0.
    package var lookBackSeconds = 0.8
    /// The least rotation about gravity of a swing, in rad; 0 or more.
    package var minimumRotation = 0.8
    /// The greatest rotation about gravity of a swing, in rad; above `minimumRotation`.
    package var maximumRotation = 7.0
    /// How long one stream waits for the other, in seconds of device time; at least `refractorySeconds`.
    package var waitSeconds = 2.5
    /// The length of the bat in m; 0 where no speed of it is wanted.
    package var batLength = 0.0
    /// The point of the bat whose speed is published, in m from the hand; 0 where none is.
    package var batPoint = 0.0
    /// The length of the arm that turns with the wrist, in m.
    package var batArm = 0.6
    /// The angle from the forearm to the bat, in degrees.
    package var batGrip = 90.0
    /// The factor from the computed to the true speed; 1 where it was not measured.
    package var batScale = 1.0
    /// The accelerometer's nominal rate in Hz. Not configurable.
    package var accelerometerHertz = 800.0
    /// Device motion's nominal rate in Hz. Not configurable.
    package var deviceMotionHertz = 200.0

    /// The published defaults.
    package init() {}
}

extension SwingSettings {
    /// `derive.swing`.
    package static let table: [DerivationSetting<Self>] = [
        .choice("impactAxis", \.impactAxis, "The acceleration in which impacts are looked for"),
        .number("impactThresholdG", \.impactThresholdG, in: 0.1...100, unit: "G", "The filtered peak that is an impact"),
        .number("bat.lengthMeters", \.batLength, in: 0...3, unit: "metres", "The length of the bat; 0 publishes no speed of it"),
        .number(
            "bat.pointMeters", \.batPoint, in: 0...3, unit: "metres",
            "The point of the bat whose speed is published, from the hand; 0 publishes none"),
        .number("bat.armMeters", \.batArm, in: 0...2, unit: "metres", "The length of the arm that turns with the wrist"),
        .number("bat.gripDegrees", \.batGrip, in: 0...180, unit: "degrees", "The angle from the forearm to the bat"),
        .number(
            "bat.scale", \.batScale, in: 0.1...10,
            "The factor from the computed to the true speed of the bat; another than 1 counts as calibrated"),
    ]

    /// What must agree.
    package static let rules = [
        DerivationRule<Self>(
            "bat.lengthMeters", "bat.pointMeters", agreement: "the point must be on the bat"
        ) { $0.batPoint > $0.batLength }
    ]

    /// Whether the bat is described, so that its speed is published.
    package var hasBat: Bool { batLength > 0 && batPoint > 0 }
}
