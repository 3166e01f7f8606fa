import TelemetryModel

/// The result of one stage of the pipeline for a message.
enum StageReport {
    /// What the message holds.
    case decoded(DecodedMessage)
    /// An empty retained message, which clears what the stream reported before.
    case cleared(StreamName)
    /// An action of the intake.
    case intake(IntakeAction)
    /// The outcome of the checks for a frame.
    case checked(NormalizedFrame, Authorizer.Outcome)
    /// The rejection of the message.
    case rejected(Rejection)
}
