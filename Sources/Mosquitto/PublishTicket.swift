/// How long a message may wait for others: a client publishes each class in its order, the urgent one first.
package enum PublishPriority: Sendable, Hashable, CaseIterable {
    /// Waits for nothing, and passes a fence that is closed.
    case control
    /// Waits for nothing but messages of control and urgent ones.
    case urgent
    /// Waits while an urgent message can be published.
    case normal
}

/// A place in a client's publishing order; settled when every message of its priority up to it is.
package struct PublishTicket: Sendable, Hashable {
    let priority: PublishPriority
    /// The number of messages of that priority enqueued on the client up to and including this place.
    package let sequence: UInt64
}

/// The progress of what was published up to a ticket.
package enum PublishProgress: Sendable {
    /// Not all of it has been accepted.
    case waiting
    /// All of it has been accepted.
    case accepted
    /// The client stopped before.
    case stopped
}
