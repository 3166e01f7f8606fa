/// What can be set about head poses.
package struct HeadPoseSettings: Sendable, Equatable {
    /// Poses a second of device time, at most; 10.
    package var rateHertz: Double
    /// How long a head must be calm for a reference pose, in s; 0.3. A stream may start with 0.25 s of wrong attitudes.
    package var calmSeconds: Double
    /// The user acceleration in G that a calm head stays under; 0.15.
    package var calmAccelerationG: Double
    /// How far in degrees an attitude may be from the one its rotation rate predicts; 2.
    package var agreementDegrees: Double
    /// The longest step in s that a rotation rate can speak for; 0.5. A longer one restarts the calm time.
    package var maximumStepSeconds: Double
    /// How long a stream may be silent before its next samples must prove themselves, in s; 2. A pose is valid that long.
    package var silenceSeconds: Double

    /// The defaults, each of which can be replaced.
    package init(
        rateHertz: Double = 10, calmSeconds: Double = 0.3, calmAccelerationG: Double = 0.15,
        agreementDegrees: Double = 2, maximumStepSeconds: Double = 0.5, silenceSeconds: Double = 2
    ) {
        self.rateHertz = rateHertz
        self.calmSeconds = calmSeconds
        self.calmAccelerationG = calmAccelerationG
        self.agreementDegrees = agreementDegrees
        self.maximumStepSeconds = maximumStepSeconds
        self.silenceSeconds = silenceSeconds
    }
}
