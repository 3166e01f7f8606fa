/// Finds out, over a connection that has published a retained message, whether a new subscription with a wildcard gets it; a pure state machine.
struct RetainedTrial: Sendable {
    /// What is subscribed to.
    enum Step: Sendable {
        /// Nothing yet: the broker may store the message a moment after it has accepted it.
        case settling
        /// A filter with a wildcard.
        case wildcard
        /// The topic itself, anew.
        case exact
        /// Nothing any more.
        case over
    }

    private static let settleSeconds = 1.0
    private static let answerSeconds = 2.0

    /// The present step.
    private(set) var step = Step.settling
    /// Which subscriptions got the message; nil while it is not known, and where no subscription did: the ACL may forbid it.
    private(set) var reach: BrokerFacts.RetainedReach?
    private var deadline: Double

    /// A trial of a message that the broker has accepted at `now`, in seconds of the monotonic clock.
    init(at now: Double) { deadline = now + Self.settleSeconds }

    /// The message came, as a retained one.
    mutating func received() {
        switch step {
        case .settling, .over: return
        case .wildcard: reach = .wildcards
        case .exact: reach = .exactTopics
        }
        step = .over
    }

    /// Time has passed.
    mutating func tick(at now: Double) {
        guard now >= deadline else { return }
        deadline = now + Self.answerSeconds
        switch step {
        case .settling: step = .wildcard
        case .wildcard: step = .exact
        case .exact, .over: step = .over
        }
    }
}
