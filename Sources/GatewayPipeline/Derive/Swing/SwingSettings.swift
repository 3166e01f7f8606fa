package import TelemetryModel

/// What can be set about impacts and swings; configuration has checked the ranges.
package struct SwingSettings: Sendable, Equatable {
    /// What an impact is looked for in.
    package var impactAxis: ImpactAxis
    /// Corner of the high-pass filter before the impact threshold, in Hz: above 0 and below half of `accelerometerHertz`.
    package var highPassHertz: Double
    /// What the filtered acceleration must exceed for an impact, in G; above 0.
    package var impactThresholdG: Double
    /// Of several peaks closer together than this, in seconds, only the greatest is an impact; 0 or more.
    package var refractorySeconds: Double
    /// What |rotationRate . gravity| exceeds throughout a candidate, in rad/s; above 0.
    package var candidateRate: Double
    /// What |rotationRate . gravity| must exceed somewhere in a candidate, in rad/s; at least `candidateRate`.
    package var candidatePeak: Double
    /// The shortest stretch at or under `candidateRate`, in seconds, that ends a candidate; above 0.
    package var interruptionSeconds: Double
    /// The longest time from a swing's start to its impact, in seconds; above 0.
    package var lookBackSeconds: Double
    /// The least rotation about gravity of a swing, in rad; 0 or more.
    package var minimumRotation: Double
    /// The greatest rotation about gravity of a swing, in rad; above `minimumRotation`.
    package var maximumRotation: Double
    /// How long one stream waits for the other, in seconds of device time; at least `refractorySeconds`.
    package var waitSeconds: Double
    /// The accelerometer's nominal rate in Hz; above 0.
    package var accelerometerHertz: Double
    /// Device motion's nominal rate in Hz; above 0.
    package var deviceMotionHertz: Double

    /// The published defaults, unless said otherwise.
    package init(
        impactAxis: ImpactAxis = .magnitude, highPassHertz: Double = 20, impactThresholdG: Double = 5,
        refractorySeconds: Double = 0.3, candidateRate: Double = 1, candidatePeak: Double = 8,
        interruptionSeconds: Double = 0.025, lookBackSeconds: Double = 0.8, minimumRotation: Double = 0.8,
        maximumRotation: Double = 7, waitSeconds: Double = 2.5, accelerometerHertz: Double = 800,
        deviceMotionHertz: Double = 200
    ) {
        self.impactAxis = impactAxis
        self.highPassHertz = highPassHertz
        self.impactThresholdG = impactThresholdG
        self.refractorySeconds = refractorySeconds
        self.candidateRate = candidateRate
        self.candidatePeak = candidatePeak
        self.interruptionSeconds = interruptionSeconds
        self.lookBackSeconds = lookBackSeconds
        self.minimumRotation = minimumRotation
        self.maximumRotation = maximumRotation
        self.waitSeconds = waitSeconds
        self.accelerometerHertz = accelerometerHertz
        self.deviceMotionHertz = deviceMotionHertz
    }
}
