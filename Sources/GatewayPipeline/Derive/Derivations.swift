/// The list of all derivations.
package enum Derivations {
    /// Every derivation, in the order in which they process a frame. A new one is a folder beside this file and a line here.
    package static let all: [any Derivation.Type] = [
        SubmersionDerivation.self,
        DeviceConnectionDerivation.self,
        HeadphoneConnectionDerivation.self,
        HeadPoseDerivation.self,
        SwingDerivation.self,
        StrokeDerivation.self,
        SwingTraceDerivation.self,
        OrientationDerivation.self,
        AttitudeDerivation.self,
        DayDerivation.self,
        WearDerivation.self,
        SleepDerivation.self,
        PedometerDerivation.self,
        AltitudeDerivation.self,
        RepetitionDerivation.self,
        PunchDerivation.self,
        PoseDerivation.self,
        PostureDerivation.self,
        TremorDerivation.self,
        MovementDisorderDerivation.self,
        QuantizationDerivation.self,
        // Behind the others: at a reboot it receives their last events first.
        SessionDerivation.self,
        AlarmDerivation.self,
    ]

    /// Their declarations.
    package static let declarations = {
        precondition(all.count <= DerivationIndices.capacity)
        return all.map { $0.declaration }
    }()

    /// The counters of all derivations.
    static let counters = declarations.flatMap(\.counters)

    /// The place of a derivation in the list.
    static func index<D: Derivation>(of derivation: D.Type) -> Int {
        guard let index = all.firstIndex(where: { $0 == derivation }) else {
            preconditionFailure("\(derivation) is not in the list of all derivations")
        }
        return index
    }
}
