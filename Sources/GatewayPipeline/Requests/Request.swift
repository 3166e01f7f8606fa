import JSONText
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
    private let derive: DeriveSettings

    /// A reader for the gateway of `settings`.
    package init(_ settings: PipelineSettings) {
        gateway = settings.gateway
        layout = settings.topics
        derive = settings.derive
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
        try Query.checkMembers(of: topic.stream, node)
        let query = try Query(topic.stream, node)
        // One error for both: a client cannot find out which devices are registered.
        guard let device = policy.policy(for: topic.device), device.authorization.map({ $0 == .authorized }) ?? true else {
            throw RequestFailure(.unknownDevice, "\(topic.device) is not registered, or may not be used")
        }
        if case .acknowledge(let query) = query { try query.check(derive, of: topic.device) }
        let withheld = Consent.allCases.filter { !device.consents.contains($0) }.flatMap(\.kinds)
        for (index, kind) in (query.kinds?.names ?? []).enumerated() where withheld.contains(kind) {
            throw RequestFailure.notConsented(to: kind, at: index)
        }
        return Request(address: address, device: topic.device, query: query, withheld: Set(withheld))
    }
}

/// The topic of a request: `{root}/{device}/query/{query}`, with or without the user that asks as one more level.
///
/// A broker's ACL can permit an account to publish with its own name in that level only. Such a name is one that the broker has checked;
/// the name in a response topic is one that the asker chose.
package struct RequestTopic: Sendable, Equatable {
    /// The topic without the user.
    let path: Substring
    /// The user that asks; nil where the topic names none.
    package let user: Substring?

    /// Reads `topic`. One with another number of levels names no user, and `InboundTopic` rejects it.
    package init(_ topic: String, layout: TopicLayout) {
        let slash = UInt8(ascii: "/")
        let hasUser = topic.utf8.count { $0 == slash } == layout.mountLevels + layout.root.count + 3
        if hasUser, let last = topic.utf8.lastIndex(of: slash) {
            path = topic[..<last]
            user = topic[topic.utf8.index(after: last)...]
        } else {
            path = topic[...]
            user = nil
        }
    }
}

/// A message on a request topic as it was delivered: see `RequestTopic`.
package struct RequestMessage: Sendable, Equatable {
    /// Its topic.
    package var topic: String
    /// A JSON object; empty for one without members.
    package var payload: [UInt8]
    /// Whether it was retained before the subscription; such a request may be of any time and is ignored.
    package var isRetained: Bool
    /// The MQTT 5 response topic; nil where there is none, as on 3.1.1.
    package var responseTopic: String?
    /// The MQTT 5 correlation data; nil where there are none.
    package var correlationData: [UInt8]?

    /// A message as it was delivered.
    package init(
        topic: String, payload: [UInt8], isRetained: Bool = false, responseTopic: String? = nil, correlationData: [UInt8]? = nil
    ) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
        self.responseTopic = responseTopic
        self.correlationData = correlationData
    }
}

/// The time that a request is about.
package struct RequestRange: Sendable, Equatable {
    /// The first instant.
    package let from: UnixTime
    /// The first instant after it.
    package let to: UnixTime

    /// The time from `from` up to `to`.
    package init(from: UnixTime, to: UnixTime) {
        self.from = from
        self.to = to
    }

    /// Reads `from` and `to`, at most `longest` seconds apart.
    init(_ body: JSONNode?, longest: Double) throws(Rejection) {
        guard let body else { throw Rejection(.missingField, at: "/from", "the field is missing") }
        let from = try body.required("from").unixTime()
        let end = try body.required("to")
        let to = try end.unixTime()
        guard to > from, to - from <= longest else {
            throw end.rejection(.invalidValue, "\(to.seconds) is not later than from, by at most \(Int(longest)) s")
        }
        self.init(from: from, to: to)
    }
}

/// The kinds that a query asks for, `kinds` of the request: a kind stands for those below it, too; none stand for all.
package struct KindFilter: Sendable, Equatable {
    /// How many kinds a request may list.
    static let mostKinds = 64
    private static let longestKind = 64

    /// The kinds that are listed.
    package let names: [String]

    init(_ body: JSONNode?) throws(Rejection) {
        guard let list = try body?.optional("kinds") else {
            names = []
            return
        }
        guard try list.count() <= Self.mostKinds else {
            throw list.rejection(.invalidValue, "lists more than \(Self.mostKinds) kinds")
        }
        names = try list.map { node throws(Rejection) in try Self.name(node) }
    }

    private static func name(_ node: JSONNode) throws(Rejection) -> String {
        let name = try node.line(maximumBytes: longestKind)
        let isKnown = KindDescription.all.contains { $0.covers(name) || $0.name.hasPrefix(name + "/") }
        guard isKnown else {
            let hint = name.nearest(among: KindDescription.all.map(\.name)).map { ", did you mean \($0.quoted)?" } ?? ""
            throw node.rejection(.invalidValue, "no kind is called \(name.quoted)\(hint)")
        }
        return name
    }

    /// Whether a kind is asked for.
    package func covers(_ kind: String) -> Bool { names.isEmpty || names.contains { kind == $0 || kind.hasPrefix($0 + "/") } }
}
