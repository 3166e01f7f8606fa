import SignalProcessing

/// The units and signs of a motion file of Sensor Logger, and the reason for the decision.
struct SensorLoggerDecision {
    var convention: MotionConvention
    /// The decision in words.
    var note: String

    /// Decides by `isStandardised` if it is given, else by the samples, else by Metadata.csv.
    ///
    /// Throws when the length of gravity belongs to no unit, or when the sign cannot be determined.
    init(
        _ evidence: MotionEvidence, isHeadphone: Bool, isStandardised: Bool?, metadata: Bool?, file: String
    ) throws(ImportProblem) {
        guard evidence.count > 0 else { throw ImportProblem("no row holds motion", file: file) }
        guard let scale = evidence.gravityScale else {
            throw ImportProblem(
                "|gravity| is \(Self.text(evidence.length)), neither about 1 (G) nor about 9.81 (m/s2)", file: file)
        }
        let (frame, reason) = try Self.frame(evidence, isStandardised: isStandardised, metadata: metadata, file: file)
        let sign = frame == .apple ? 1.0 : -1.0
        // The headphones' gravity is in m/s2 whatever the setting, their acceleration only when it is on.
        let unit = isHeadphone ? (frame == .apple ? 1 : 1 / MotionConvention.standardGravity) : scale
        convention = MotionConvention(
            accelerationScale: sign * unit, gravityScale: sign * scale, turnsAttitude: frame == .reversedAndTurned)
        note =
            "gravity in \(scale == 1 ? "G" : "m/s2"), acceleration in \(unit == 1 ? "G" : "m/s2"), "
            + "\(frame == .apple ? "Core Motion's signs" : "standardised signs, reversed here")"
            + "\(frame == .reversedAndTurned ? " as are yaw and pitch" : "") (\(reason))"
        if evidence.distance(frame) > 0.05 { note += "; but gravity and attitude contradict each other" }
        if let metadata, metadata != (frame != .apple) {
            note += "; Metadata.csv has standardisation \(metadata ? "on" : "off")"
        }
    }

    private static func frame(
        _ evidence: MotionEvidence, isStandardised: Bool?, metadata: Bool?, file: String
    ) throws(ImportProblem) -> (MotionEvidence.Frame, String) {
        let reversed: MotionEvidence.Frame =
            evidence.distance(.reversedAndTurned) < evidence.distance(.reversed) ? .reversedAndTurned : .reversed
        if let isStandardised { return (isStandardised ? reversed : .apple, "as --standardised states") }
        let fitting = evidence.frames
        if fitting.count == 1 { return (fitting[0], "measured over \(evidence.count) rows") }
        if let metadata { return (metadata ? reversed : .apple, "as Metadata.csv states") }
        if fitting.contains(.apple) { return (.apple, "gravity along one axis leaves it open") }
        throw ImportProblem(
            "gravity and attitude contradict each other in every known convention; say --standardised true or false", file: file)
    }

    private static func text(_ value: Double) -> String { "\((value * 1000).rounded() / 1000)" }
}
