/// How long a message may wait for others: a client publishes each class in its order.
package enum PublishPriority: Sendable, Hashable, CaseIterable {
    /// Waits for nothing, and passes a fence that is closed.
    case control
    /// Waits for nothing but messages of control and urgent ones.
    case urgent
    /// Waits while an urgent message can be published.
    case high
    /// Waits while an urgent message or one of high priority can be published.
    case normal
}

/// A place in a client's publishing order; settled when every message of each priority up to it is.
package struct PublishTicket: Sendable, Hashable {
    private var control: UInt64 = 0
    private var urgent: UInt64 = 0
    private var high: UInt64 = 0
    private var normal: UInt64 = 0

    init(priority: PublishPriority, sequence: UInt64) {
        self[priority] = sequence
    }

    /// How many messages of a priority were enqueued on the client up to and including this place; 0 where they do not count.
    package private(set) subscript(priority: PublishPriority) -> UInt64 {
        get {
            switch priority {
            case .control: control
            case .urgent: urgent
            case .high: high
            case .normal: normal
            }
        }
        set {
            switch priority {
            case .control: control = newValue
            case .urgent: urgent = newValue
            case .high: high = newValue
            case .normal: normal = newValue
            }
        }
    }

    /// The place behind both.
    package func joined(with other: PublishTicket) -> PublishTicket {
        var joined = self
        for priority in PublishPriority.allCases { joined[priority] = max(self[priority], other[priority]) }
        return joined
    }
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
