/// A place in a client's publishing order; settled when every message up to it is.
package struct PublishTicket: Sendable, Hashable, Comparable {
    /// The number of messages enqueued on the client up to and including this place.
    package let sequence: UInt64

    /// Orders by place.
    package static func < (lhs: PublishTicket, rhs: PublishTicket) -> Bool { lhs.sequence < rhs.sequence }
}
