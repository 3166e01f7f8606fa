import Synchronization

/// What a connection waits for: the answers to requests, which come for one subscription on subjects of their own, and the messages of other
/// subscriptions, which keep the subjects they have in their stream.
final class NatsRouter: Sendable {
    /// Takes an answer, or why none will come; returns whether no more is expected. Called on the connection's thread.
    typealias Receiver = @Sendable (Result<NatsMessage, NatsError>) -> Bool

    /// The subject of answers, but for its last level.
    let inbox = "_INBOX.\(String(UInt64.random(in: .min ... .max), radix: 36))"

    /// The subscription for answers.
    static let answers = 1

    private struct Contents {
        /// By the last level of the subject of the answer.
        var requests: [String: Receiver] = [:]
        /// By the number of the subscription.
        var subscriptions: [Int: Receiver] = [:]
        var next = NatsRouter.answers
        var failure: NatsError?
    }

    private let contents = Mutex(Contents())

    /// Why the connection has ended; nil while it has not.
    var failure: NatsError? { contents.withLock { $0.failure } }

    /// The subject on which `receiver` is answered. Throws where the connection has ended.
    func subject(for receiver: @escaping Receiver) throws(NatsError) -> String {
        let token = "\(try add { $0.requests["\($1)"] = receiver })"
        return "\(inbox).\(token)"
    }

    /// The number of a subscription whose messages `receiver` takes, and its subject. Throws where the connection has ended.
    func subscription(for receiver: @escaping Receiver) throws(NatsError) -> (number: Int, subject: String) {
        let number = try add { $0.subscriptions[$1] = receiver }
        return (number, "\(inbox).stream.\(number)")
    }

    private func add(_ change: (inout Contents, Int) -> Void) throws(NatsError) -> Int {
        try contents.withLock { contents throws(NatsError) in
            if let failure = contents.failure { throw failure }
            contents.next += 1
            change(&contents, contents.next)
            return contents.next
        }
    }

    /// Passes a message on.
    func receive(_ message: NatsMessage) {
        let token = String(message.subject.dropFirst(inbox.utf8.count + 1))
        let isAnswer = message.subscription == Self.answers
        let receiver = contents.withLock { isAnswer ? $0.requests[token] : $0.subscriptions[message.subscription] }
        guard let receiver, receiver(.success(message)) else { return }
        contents.withLock { contents in
            if isAnswer { contents.requests[token] = nil } else { contents.subscriptions[message.subscription] = nil }
        }
    }

    /// Nothing more is awaited on `subject`.
    func forget(_ subject: String) { contents.withLock { $0.requests[String(subject.dropFirst(inbox.utf8.count + 1))] = nil } }

    /// Nothing more is awaited of a subscription.
    func forget(subscription number: Int) { contents.withLock { $0.subscriptions[number] = nil } }

    /// All requests have failed; with `isEnded` no other can be made.
    func fail(_ error: NatsError, isEnded: Bool) {
        let receivers = contents.withLock { contents in
            if isEnded, contents.failure == nil { contents.failure = error }
            defer { (contents.requests, contents.subscriptions) = ([:], [:]) }
            return Array(contents.requests.values) + contents.subscriptions.values
        }
        for receiver in receivers { _ = receiver(.failure(error)) }
    }
}
