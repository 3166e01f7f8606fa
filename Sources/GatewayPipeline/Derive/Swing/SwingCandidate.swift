import SignalProcessing
import TelemetryModel

/// A rotation that may be a swing, waiting for the accelerometer to cover it.
struct SwingCandidate: Sendable, Equatable, Codable {
    /// The rotation about gravity in rad/s.
    var run: ThresholdRun
    /// Whether the rotation was seen to end.
    var endIsKnown: Bool
    /// The newest device time, in seconds, of any sample there was when the run ended: the wait counts from it.
    var heardAt: Double
}

/// An impact that has been published, kept until no rotation can claim it.
struct KnownImpact: Sendable, Equatable, Codable {
    /// The sample at the peak, in seconds.
    var time: Double
    /// The unfiltered acceleration there in G.
    var peak: Double
    /// The newest device time, in seconds, of any sample there was when the impact was final.
    var heardAt: Double
    /// Whether a swing has it, or the wait for one is over. No miss is said around it either way.
    var isTaken = false
}
