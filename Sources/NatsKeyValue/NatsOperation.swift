/// What a NATS server sends.
enum NatsOperation: Sendable, Equatable {
    /// What the server is, as JSON.
    case info([UInt8])
    /// A message of a subscription.
    case message(NatsMessage)
    case ping
    case pong
    case ok
    /// Why the server closes the connection, or refuses an operation.
    case error(String)
}

/// A message of a subscription.
struct NatsMessage: Sendable, Equatable {
    /// Its subject.
    var subject: String
    /// The number of the subscription that it comes for.
    var subscription = 1
    /// Where an answer goes.
    var reply: String?
    /// The status of a message that the server itself sends, such as 503 where nobody answers.
    var status: Int?
    /// Its header fields.
    var fields: [String: String] = [:]
    /// Its content.
    var payload: [UInt8] = []
}
