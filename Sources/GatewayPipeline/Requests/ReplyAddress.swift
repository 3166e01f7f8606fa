package import TelemetryModel

/// Where a reply is published: `fathom/{gateway}/reply/{user}/…`, and what it carries to be matched with its request.
///
/// Only this type's initializers make one, so that no client can have the gateway publish on another topic. MQTT does not state who
/// published a request; but only the named user may read the reply (`config/acl`).
package struct ReplyAddress: Sendable, Equatable {
    /// The longest topic, in characters.
    static let longestTopic = 128
    /// The longest correlation data or text, in bytes.
    static let longestCorrelation = 512

    /// The whole topic.
    package let topic: String
    /// The user that the topic names.
    package let user: Identifier
    /// The correlation data of the request; nil where it had none.
    package let correlationData: [UInt8]?
    /// The correlation text of a request without a response topic; nil where it had none.
    package let correlation: String?

    /// The address that a request's response topic names; rejected when it lies elsewhere, or the correlation data are too long.
    init(
        topic: String, correlationData: [UInt8]? = nil, correlation: String? = nil, gateway: Identifier
    ) throws(Rejection) {
        let prefix = Self.prefix(gateway)
        // By bytes, as a broker compares topics: "K" and the sign of Kelvin are one `Character`, and two topics.
        guard topic.utf8.starts(with: prefix.utf8) else {
            throw Rejection(.invalidTopic, "the response topic must be \(prefix){user}/…, is \(topic.quoted)")
        }
        guard topic.utf8.count <= Self.longestTopic else {
            throw Rejection(.invalidTopic, "the response topic is longer than \(Self.longestTopic) characters")
        }
        let levels = Substring(topic.utf8.dropFirst(prefix.utf8.count)).topicLevels
        guard levels.count > 1, let user = Identifier(levels[0]), levels.allSatisfy(Self.isAllowed) else {
            throw Rejection(
                .invalidTopic,
                """
                below \(prefix) the response topic must be a user and at least one more level, in visible ASCII without + and #, \
                is \(topic.quoted)
                """)
        }
        guard max(correlationData?.count ?? 0, correlation?.utf8.count ?? 0) <= Self.longestCorrelation else {
            throw Rejection(.invalidValue, "the correlation data are longer than \(Self.longestCorrelation) bytes")
        }
        self.topic = topic
        self.user = user
        self.correlationData = correlationData
        self.correlation = correlation
    }

    /// The levels before the user.
    static func prefix(_ gateway: Identifier) -> String { "fathom/\(gateway)/reply/" }

    private static func isAllowed(_ level: Substring) -> Bool {
        !level.isEmpty
            && level.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "#") }
    }
}
