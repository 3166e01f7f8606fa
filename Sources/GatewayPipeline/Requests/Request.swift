package import TelemetryModel

/// A request that is to be answered.
package struct Request: Sendable, Equatable {
    /// Where the reply goes.
    package var address: ReplyAddress
    /// The device that is asked about.
    package var device: DeviceID
    /// What is asked.
    package var query: Query
    /// The kinds to which the registry has no consent for the device: they are in no reply.
    package var withheld: Set<String> = []

    /// Whether messages of `kind` are asked for and may be in the reply.
    package func covers(_ kind: String) -> Bool { !withheld.contains(kind) && (query.kinds?.covers(kind) ?? true) }
}

/// The result of reading a message on a request topic.
package enum RequestOutcome: Sendable, Equatable {
    /// A retained message: no reply.
    case ignored
    /// No reply is possible: the message names no topic on which one may be published.
    case unanswerable(Rejection)
    /// The reply is an error.
    case failed(ReplyAddress, RequestFailure)
    /// To be answered with data.
    case accepted(Request)
}

/// Reads requests. It keeps its parser, and must not be shared between threads.
package final class RequestReader {
    /// The largest payload that is read, in bytes.
    static let longestPayload = 4_096
    private static let deepestNesting = 4

    private let parser = JSONParser()
    private let gateway: Identifier
    private let layout: TopicLayout

    /// A reader for the gateway of `settings`.
    package init(_ settings: PipelineSettings) {
        gateway = settings.gateway
        layout = settings.topics
    }

    /// Reads a message; `policy` decides which devices may be asked about.
    package func read(_ message: RequestMessage, policy: AccessPolicy) -> RequestOutcome {
        if message.isRetained { return .ignored }
        let topic = RequestTopic(message.topic, layout: layout)
        let body = Result { () throws(Rejection) in try self.body(of: message) }
        let address: ReplyAddress
        do throws(Rejection) {
            address = try self.address(of: message, try? body.get())
            try Self.check(topic.user, is: address.user)
        } catch {
            return .unanswerable(error)
        }
        do throws(RequestFailure) {
            return .accepted(try request(topic, body, to: address, policy))
        } catch {
            return .failed(address, error)
        }
    }

    /// The object in the payload; nil where it is empty.
    private func body(of message: RequestMessage) throws(Rejection) -> JSONNode? {
        if message.payload.isEmpty { return nil }
        guard message.payload.count <= Self.longestPayload else {
            throw Rejection(.payloadTooLarge, "\(message.payload.count) bytes, at most \(Self.longestPayload) are read")
        }
        let body = try parser.parse(message.payload, maximumNesting: Self.deepestNesting)
        guard body.kind == .object else { throw body.rejection(.wrongType, "expected an object, found \(body.kind.phrase)") }
        return body
    }

    /// The address in the message's response topic or, where it has none, in the payload: `reply` is what follows the prefix.
    private func address(of message: RequestMessage, _ body: JSONNode?) throws(Rejection) -> ReplyAddress {
        if let topic = message.responseTopic {
            return try ReplyAddress(topic: topic, correlationData: message.correlationData, gateway: gateway)
        }
        guard let body, let reply = try body.optional("reply") else {
            throw Rejection(.invalidTopic, "the request has neither a response topic nor 'reply'")
        }
        return try ReplyAddress(
            topic: ReplyAddress.prefix(gateway) + (try reply.string()),
            correlation: try body.optional("correlation").map { node throws(Rejection) in try node.string() }, gateway: gateway)
    }

    /// A request whose topic names a user is for that one alone: its reply must not cost another user anything.
    private static func check(_ asker: Substring?, is user: Identifier) throws(Rejection) {
        guard let asker, !asker.utf8.elementsEqual(user.rawValue.utf8) else { return }
        throw Rejection(
            .invalidTopic, "the topic names the user \(String(asker).quoted), and the reply is for \(user.rawValue.quoted)")
    }

    private func request(
        _ requestTopic: RequestTopic, _ body: Result<JSONNode?, Rejection>, to address: ReplyAddress, _ policy: AccessPolicy
    ) throws(RequestFailure) -> Request {
        let (topic, node): (InboundTopic, JSONNode?)
        do throws(Rejection) {
            topic = try InboundTopic(String(requestTopic.path), layout: layout, level: "query")
            node = try body.get()
        } catch {
            throw RequestFailure(error)
        }
        let query = try Query(topic.stream, node)
        // One error for both: a client cannot find out which devices are registered.
        guard let device = policy.policy(for: topic.device), device.authorization.map({ $0 == .authorized }) ?? true else {
            throw RequestFailure(.unknownDevice, "\(topic.device) is not registered, or may not be used")
        }
        let withheld = Consent.allCases.filter { !device.consents.contains($0) }.flatMap(\.kinds)
        for (index, kind) in (query.kinds?.names ?? []).enumerated() where withheld.contains(kind) {
            throw RequestFailure.notConsented(to: kind, at: index)
        }
        return Request(address: address, device: topic.device, query: query, withheld: Set(withheld))
    }
}
