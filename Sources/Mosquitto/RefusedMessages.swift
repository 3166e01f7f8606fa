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
