/// The topics that the broker refuses, the messages that wait behind a refused one, and which is tried when; a pure value.
struct RefusedTopics {
    /// A topic that is refused from now on.
    struct News: Equatable {
        var topic: String
        var error: MosquittoError
    }

    private struct Topic {
        var error: MosquittoError
        /// The numbers of its messages, ascending; those in flight are not among them, but for the one that is tried.
        var sequences: [UInt64] = []
        /// The one that was taken to be published, until its answer.
        var trying: UInt64?
        var retryAt: MonotonicInstant
        /// Whether the broker closes the connection instead of answering, so that it is sent alone.
        var isSuspect = false
    }

    private var topics: [String: Topic] = [:]
    /// Topics to be tried now, in any order.
    private var due: [String] = []
    private var suspects: [String] = []
    /// No topic is due before.
    private(set) var retryAt: MonotonicInstant?
    /// Since when messages wait to be sent alone; nil while none does.
    private(set) var suspectsSince: MonotonicInstant?

    var isEmpty: Bool { topics.isEmpty }

    /// Why one of them is refused.
    var error: MosquittoError? { topics.first?.value.error }

    func contains(_ topic: String) -> Bool { topics[topic] != nil }

    /// Adds a message that waits behind the refused one of its topic.
    mutating func add(_ sequence: UInt64, to topic: String) {
        guard let last = topics[topic]?.sequences.last, last >= sequence else {
            topics[topic]?.sequences.append(sequence)
            return
        }
        guard let place = topics[topic]?.sequences.firstIndex(where: { $0 >= sequence }) else { return }
        if topics[topic]?.sequences[place] != sequence { topics[topic]?.sequences.insert(sequence, at: place) }
    }

    /// Records that a message was refused for the `attempts`-th time; returns a topic that was not refused before.
    mutating func refuse(
        _ topic: String, _ error: MosquittoError, _ sequence: UInt64, attempts: Int, at now: MonotonicInstant
    ) -> News? {
        let isNew = topics[topic] == nil
        var entry = topics[topic] ?? Topic(error: error, retryAt: now)
        let wasTried = isNew || entry.trying == sequence
        entry.error = error
        if wasTried {
            (entry.trying, entry.isSuspect) = (nil, false)
            entry.retryAt = now + Self.pause(afterAttempts: attempts)
            retryAt = .earlier(retryAt, entry.retryAt)
        }
        topics[topic] = entry
        add(sequence, to: topic)
        return isNew ? News(topic: topic, error: error) : nil
    }

    /// Records that a message is to be sent alone.
    mutating func suspect(_ topic: String, _ error: MosquittoError, _ sequence: UInt64, at now: MonotonicInstant) {
        var entry = topics[topic] ?? Topic(error: error, retryAt: now)
        (entry.trying, entry.isSuspect, entry.error) = (nil, true, error)
        topics[topic] = entry
        add(sequence, to: topic)
        queue(topic, at: now)
    }

    private mutating func queue(_ topic: String, at now: MonotonicInstant) {
        if !suspects.contains(topic) { suspects.append(topic) }
        suspectsSince = suspectsSince ?? now
    }

    /// A topic is refused no more: the numbers of its messages.
    mutating func lift(_ topic: String) -> [UInt64] {
        guard let entry = topics.removeValue(forKey: topic) else { return [] }
        if entry.isSuspect { suspects.removeAll { $0 == topic } }
        if suspects.isEmpty { suspectsSince = nil }
        if topics.isEmpty { retryAt = nil }
        return entry.sequences
    }

    /// The first message of a topic that is due; once until its answer.
    mutating func takeDue(at now: MonotonicInstant) -> UInt64? {
        guard !topics.isEmpty else { return nil }
        if let retryAt, retryAt <= now { collect(at: now) }
        while let topic = due.popLast() {
            guard let entry = topics[topic], entry.trying == nil, !entry.isSuspect, let first = entry.sequences.first else {
                continue
            }
            topics[topic]?.trying = first
            return first
        }
        return nil
    }

    /// Topics that are due a moment later are due now, so that many need few looks.
    private mutating func collect(at now: MonotonicInstant) {
        retryAt = nil
        for (topic, entry) in topics where entry.trying == nil && !entry.isSuspect {
            if entry.retryAt <= now + Self.together { due.append(topic) } else { retryAt = .earlier(retryAt, entry.retryAt) }
        }
    }

    /// The first message of the topic that has waited longest to be sent alone; the next waits anew.
    mutating func takeSuspect(at now: MonotonicInstant) -> UInt64? {
        while !suspects.isEmpty {
            let topic = suspects.removeFirst()
            suspectsSince = suspects.isEmpty ? nil : now
            guard let entry = topics[topic], entry.trying == nil, let first = entry.sequences.first else { continue }
            topics[topic]?.trying = first
            return first
        }
        return nil
    }

    /// The connection has ended: the numbers of those that were tried, which are due again.
    mutating func connectionLost(at now: MonotonicInstant) -> [UInt64] {
        guard !topics.isEmpty else { return [] }
        var tried: [UInt64] = []
        for (topic, entry) in topics {
            if let trying = entry.trying { tried.append(trying) }
            topics[topic]?.trying = nil
            if entry.isSuspect {
                queue(topic, at: now)
            } else {
                retryAt = .earlier(retryAt, entry.retryAt)
            }
        }
        due = []
        return tried
    }

    /// The pause after so many refusals: 20 ms that double, up to 8 s. Five take a third of a second, during which frames whose messages are
    /// refused hold up a commit.
    static func pause(afterAttempts attempts: Int) -> Duration {
        min(.milliseconds(20 * (1 << min(max(attempts, 1) - 1, 9))), .seconds(8))
    }

    private static let together = Duration.milliseconds(5)
}

/// A message that the broker refuses, and that is to be kept elsewhere.
package struct RefusedMessage: Sendable {
    /// What is refused.
    package enum Scope: Sendable {
        /// Every message of the topic.
        case ofTopic
        /// This message alone, for its size or its content.
        case ofMessage
        /// The broker closes the connection when the message is published.
        case ofClosing
    }

    /// Its place in the outbox of its priority.
    let sequence: UInt64
    /// Its priority.
    var priority = PublishPriority.normal
    /// The message.
    package let message: MQTTMessage
    /// Why it is refused.
    package let error: MosquittoError
    /// What is refused.
    package let scope: Scope
}

/// What a client hands to the one who keeps refused messages.
package struct RefusedMessages: Sendable {
    /// What became of a message with an `answerNumber`.
    package struct Answer: Sendable {
        /// The number.
        package let number: UInt64
        /// Why it was refused; nil where the broker has accepted it.
        package var error: MosquittoError?
    }

    /// Messages to keep, in order. Each holds up the tickets behind it until `MosquittoClient.kept`.
    package var messages: [RefusedMessage] = []
    /// Answers to messages that were published again.
    package var answers: [Answer] = []
}
