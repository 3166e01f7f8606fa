import SignalProcessing
import TelemetryModel

/// A rotation that may be a swing and waits for accelerometer samples.
struct SwingCandidate: Sendable, Equatable, Codable {
    /// The rotation about gravity in rad/s.
    var run: ThresholdRun
    /// Whether the end of the rotation is known.
    var endIsKnown: Bool
    /// The newest device time, in seconds, of any sample when the run ended: the wait counts from it.
    var knownAt: Double

    private enum CodingKeys: String, CodingKey {
        case run, endIsKnown
        case knownAt = "heardAt"
    }
}

/// An impact that has been published, kept until no rotation can claim it.
struct KnownImpact: Sendable, Equatable, Codable {
    /// The sample at the peak, in seconds.
    var time: Double
    /// The unfiltered acceleration there in G.
    var peak: Double
    /// The newest device time, in seconds, of any sample when the impact was final.
    var knownAt: Double
    /// Whether it belongs to a swing, or the wait for one is over. In both cases no miss is published around it.
    var isTaken = false

    private enum CodingKeys: String, CodingKey {
        case time, peak, isTaken
        case knownAt = "heardAt"
    }
}
