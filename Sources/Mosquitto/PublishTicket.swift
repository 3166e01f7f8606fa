/// How long a message may wait for others: a client publishes each class in its order.
package enum PublishPriority: Sendable, Hashable, CaseIterable {
    /// Waits for nothing, and passes a fence that is closed.
    case control
    /// Waits for nothing but messages of control.
    case heartbeat
    /// Waits for nothing but messages of control, heartbeats and urgent ones.
    case urgent
    /// Waits while an urgent message can be published.
    case high
    /// Waits while an urgent message or one of high priority can be published.
    case normal
    /// Waits for all others: messages that were refused, and are published again.
    case again
    /// Waits for all others, at QoS 0: without a connection, or with too many of them, the oldest are dropped.
    case droppable
}

/// One value for each priority.
struct PerPriority<Value> {
    private var control: Value
    private var heartbeat: Value
    private var urgent: Value
    private var high: Value
    private var normal: Value
    private var again: Value
    private var droppable: Value

    /// One value for all.
    init(_ value: Value) {
        (control, heartbeat, urgent, high, normal, again, droppable) = (value, value, value, value, value, value, value)
    }

    /// The value of a priority.
    subscript(priority: PublishPriority) -> Value {
        _read {
            switch priority {
            case .control: yield control
            case .heartbeat: yield heartbeat
            case .urgent: yield urgent
            case .high: yield high
            case .normal: yield normal
            case .again: yield again
            case .droppable: yield droppable
            }
        }
        _modify {
            switch priority {
            case .control: yield &control
            case .heartbeat: yield &heartbeat
            case .urgent: yield &urgent
            case .high: yield &high
            case .normal: yield &normal
            case .again: yield &again
            case .droppable: yield &droppable
            }
        }
    }

    /// Combines all of them with `initial`, in the order of priority, without a copy of any.
    func reduce<Result>(_ initial: Result, _ combine: (Result, borrowing Value) -> Result) -> Result {
        let first = combine(combine(combine(combine(initial, control), heartbeat), urgent), high)
        return combine(combine(combine(first, normal), again), droppable)
    }
}

extension PerPriority: Sendable where Value: Sendable {}
extension PerPriority: Equatable where Value: Equatable {}
extension PerPriority: Hashable where Value: Hashable {}

/// A place in a client's publishing order; settled when every message of each priority up to it is.
package struct PublishTicket: Sendable, Hashable {
    private var sequences = PerPriority<UInt64>(0)

    init(priority: PublishPriority, sequence: UInt64) {
        sequences[priority] = sequence
    }

    /// How many messages of a priority were enqueued on the client up to and including this place; 0 where they do not count.
    package subscript(priority: PublishPriority) -> UInt64 { sequences[priority] }

    /// The place behind both.
    package func joined(with other: PublishTicket) -> PublishTicket {
        var joined = self
        for priority in PublishPriority.allCases { joined.sequences[priority] = max(self[priority], other[priority]) }
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
