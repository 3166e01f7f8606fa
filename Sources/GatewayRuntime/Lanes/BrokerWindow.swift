/// Learns how many unacknowledged messages the broker sends where that is fewer than the lane's connection permits; a pure value.
///
/// A broker whose window is full sends more as soon as it has the acknowledgements. So if nothing came for a while, and something came right
/// behind the acknowledgements, and that several times in a row with one number of messages, that number is taken for the window. It is not
/// when more are unacknowledged at one time. What is learned decides only how many messages a commit covers.
struct BrokerWindow {
    /// How often it has to be seen.
    private static let evidence = 4
    /// How soon a message has to follow acknowledgements, in seconds.
    private static let promptSeconds = 0.005

    /// The window; nil while it is not known.
    private(set) var size: Int?
    private var candidate = 0
    private var count = 0
    private var full: (messages: Int, acknowledgedAt: Double)?

    /// Records at `monotonic` that `messages` were acknowledged, behind which the broker had sent nothing.
    mutating func acknowledged(_ messages: Int, at monotonic: Double) { full = (messages, monotonic) }

    /// Records that messages came at `monotonic`, with which so many are unacknowledged.
    mutating func received(unacknowledged: Int, at monotonic: Double) {
        if let size, unacknowledged > size { forget() }
        guard let full else { return }
        self.full = nil
        guard size == nil else { return }
        guard monotonic - full.acknowledgedAt <= Self.promptSeconds else { return count = 0 }
        count = full.messages == candidate ? count + 1 : 1
        candidate = full.messages
        if count >= Self.evidence, unacknowledged <= candidate { size = candidate }
    }

    /// Another connection may have another window.
    mutating func forget() { self = BrokerWindow() }
}
