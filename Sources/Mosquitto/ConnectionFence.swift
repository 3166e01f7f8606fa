/// Whether clients may act on the broker; asked on their threads before each action, so it must answer at once.
package protocol ConnectionFence: Sendable {
    /// The answer at this moment.
    var passage: FencePassage { get }
}

/// What a fence permits.
package enum FencePassage: Sendable {
    /// Connecting, publishing, acknowledging.
    case open
    /// Nothing for now but messages of the priority `control`.
    case closed
    /// Nothing any more: a client that stops drops its connection unwritten.
    case lost
}
