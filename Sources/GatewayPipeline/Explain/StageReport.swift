import TelemetryModel

/// What a stage of the pipeline did with a message, reported while it does it.
enum StageReport {
    /// What the message holds.
    case decoded(DecodedMessage)
    /// An empty retained message, which clears what the stream reported before.
    case cleared(StreamName)
    /// What the intake made of it.
    case intake(IntakeAction)
    /// What the checks made of a frame.
    case checked(NormalizedFrame, Authorizer.Outcome)
    /// Why it was rejected.
    case rejected(Rejection)
}
