import TelemetryModel

/// One table of `presence`: the topics and words that report a device online or offline.
struct PresenceRule: Sendable, Equatable {
    /// The word that matches all others.
    static let anything = "*"
    private static let longest = 64

    /// Its name, in messages.
    var name: String
    /// The topics.
    var topics: [TopicFilter]
    /// The devices; nil where the level `{device}` of the topic names one.
    var subject: Subject?
    /// The place of the word in a JSON payload; nil where it is the payload.
    var pointer: JSONPointer?
    /// The words that mean online.
    var online: Set<String>
    /// The words that mean offline.
    var offline: Set<String>
    /// The words that are ignored.
    var ignored: Set<String>
    /// Whether characters that a device id cannot have are removed from the topic's level.
    var strips: Bool

    /// What a rule reports on.
    enum Subject: Sendable, Equatable {
        /// One device.
        case device(DeviceID)
        /// The devices whose messages a bridge carries.
        case bridge(DeviceGroup)
    }

    /// What a message reports on: of a bridge that is online on no device, as that tells nothing of the devices behind it.
    func sender(of message: InboundMessage, parser: JSONParser, limits: DecodeLimits) throws(Rejection) -> ProducerSender {
        let topic = message.topic
        switch subject {
        case .device(let device): return .device(device)
        case .bridge(let group):
            // An unknown word is rejected here, once, and not for each device.
            let isOffline = try content(of: message.payload, parser: parser, limits: limits) == .presence(.offline)
            return .bridge(isOffline ? group : DeviceGroup())
        case nil: break
        }
        let level = topics.lazy.compactMap { $0.values(in: topic)?["device"] }.first ?? ""
        return .device(try DeviceID(level: strips ? Substring(level.filter { Identifier("\($0)") != nil }) : level))
    }

    /// Decodes a message; an ignored word gives a message without content.
    func decode(
        _ message: InboundMessage, parser: JSONParser, context: ProducerContext
    ) throws(Rejection) -> DecodedMessage {
        let content = try content(of: message.payload, parser: parser, limits: context.limits)
        let header = FrameHeader(
            boot: .presence, sequence: nil, uptime: DeviceTime(context.received.unix.seconds),
            sent: context.received.unix)
        return DecodedMessage(
            message, received: context.received, scope: SequenceScope(producer: PresenceProducer.name), header: header,
            content: content)
    }

    private func content(
        of payload: [UInt8], parser: JSONParser, limits: DecodeLimits
    ) throws(Rejection) -> DecodedMessage.Content {
        guard !payload.isEmpty else { throw Rejection(.emptyPayload, "the payload is empty") }
        let word = try word(in: payload, parser: parser, limits: limits)
        if offline.contains(word) { return .presence(.offline) }
        if online.contains(word) { return .presence(.online) }
        if ignored.contains(word) { return .frames([]) }
        if offline.contains(Self.anything) { return .presence(.offline) }
        if online.contains(Self.anything) { return .presence(.online) }
        if ignored.contains(Self.anything) { return .frames([]) }
        throw Rejection(
            .invalidValue, at: pointer?.text ?? "",
            "found \(word.quoted); online is \(listed(online)), offline is \(listed(offline))")
    }

    private func word(
        in payload: [UInt8], parser: JSONParser, limits: DecodeLimits
    ) throws(Rejection) -> String {
        guard let pointer else {
            guard payload.count <= Self.longest else {
                throw Rejection(.invalidValue, "\(payload.count) bytes, a word has at most \(Self.longest)")
            }
            guard let text = String(validating: payload, as: UTF8.self) else {
                throw Rejection(.invalidUTF8, "not valid UTF-8")
            }
            return String(text.trimmingSpaces)
        }
        let root = try parser.parse(payload, maximumNesting: limits.maximumNesting)
        guard let node = try pointer.find(in: root) else {
            throw Rejection(.missingField, at: pointer.text, "the word for the device's presence is missing")
        }
        switch node.kind {
        case .boolean: return try node.boolean() ? "true" : "false"
        case .integer: return "\(try node.integer())"
        default: return try node.line(maximumBytes: Self.longest)
        }
    }

    private func listed(_ words: Set<String>) -> String { words.sorted().map(\.quoted).joined(separator: ", ") }
}

extension BootID {
    /// The boot of a device that only other parties have reported on: the first boot of its own frames replaces it.
    static let presence: BootID = {
        guard let presence = BootID("presence") else { preconditionFailure("'presence' is an identifier") }
        return presence
    }()
}
