package import TelemetryModel

/// A message of a device that is known. Only the door can make one, from the topic alone.
package struct KnownMessage: Sendable, Equatable {
    /// Who sent it.
    package let device: DeviceID
    /// Whose topic it came on.
    package let origin: Origin
    /// The message itself, unread.
    package let message: InboundMessage

    /// Whose topics there are.
    package enum Origin: Sendable, Equatable {
        /// The contract's own; the last level, not yet known to be a stream.
        case stream(Substring)
        /// A producer's.
        case producer
    }

    /// The stream of a contract's own topic; nil for another name, and for a producer's topic.
    var stream: StreamName? {
        switch origin {
        case .stream(let name): StreamName(rawValue: String(name))
        case .producer: nil
        }
    }

    fileprivate init(device: DeviceID, origin: Origin, message: InboundMessage) {
        self.device = device
        self.origin = origin
        self.message = message
    }
}

/// The first check: who may come in at all. Nothing is kept, decoded or derived for a device that is not known.
package struct Doorkeeper: Sendable {
    /// Who is known.
    package var policy: AccessPolicy
    /// Messages turned away, by reason.
    package private(set) var rejected: [RejectionReason: Int] = [:]

    private let settings: PipelineSettings
    private let encoder: OutboundEncoder
    /// One limiter and one reason for all: strangers can choose their names, so nothing is kept by name.
    private var lastPublished: Double?
    private var suppressed = 0

    /// A door for `policy`.
    package init(policy: AccessPolicy, settings: PipelineSettings) {
        self.policy = policy
        self.settings = settings
        encoder = OutboundEncoder(
            root: settings.topics.rootPath, configurationFingerprint: settings.configurationFingerprint)
    }

    /// Lets `message` in, or counts it; what is to be published of that is appended to `messages`. What is not for `share` is passed
    /// over: another pipeline sees it too.
    package mutating func admit(
        _ message: InboundMessage, for share: StreamShare = .whole, at now: GatewayTime, into messages: inout [OutboundMessage]
    ) -> KnownMessage? {
        var tells = share.takesUnknown
        do throws(Rejection) {
            if let route = settings.producers.route(of: message.topic) {
                tells = share.streams.contains(route.stream)
                guard tells else { return nil }
                let device = try sender(of: message)
                return KnownMessage(device: device, origin: .producer, message: message)
            }
            let topic = try InboundTopic(message.topic, layout: settings.topics)
            if let stream = StreamName(rawValue: String(topic.stream)) {
                tells = share.streams.contains(stream)
                guard tells || stream.concernsAllStreams else { return nil }
            } else if !tells {
                return nil
            }
            guard policy.policy(for: topic.device) != nil else {
                throw Rejection(.unknownDevice, "the device is not in the registry")
            }
            return KnownMessage(device: topic.device, origin: .stream(topic.stream), message: message)
        } catch {
            if tells { turnAway(message, error, at: now, into: &messages) }
            return nil
        }
    }

    private func sender(of message: InboundMessage) throws(Rejection) -> DeviceID {
        guard let sender = try settings.producers.sender(of: message, limits: settings.decode),
            let device = policy.device(of: sender)
        else {
            throw Rejection(.unknownDevice, "no device of the registry is bound to this sender")
        }
        return device
    }

    private mutating func turnAway(
        _ message: InboundMessage, _ rejection: Rejection, at now: GatewayTime, into messages: inout [OutboundMessage]
    ) {
        rejected[rejection.reason, default: 0] += 1
        if let lastPublished, now.monotonic - lastPublished < 1 / settings.rejectedPerSecond {
            suppressed += 1
            return
        }
        messages.append(
            encoder.encode(
                rejection, topic: message.topic, gateway: settings.gateway, count: suppressed + 1, received: now.unix))
        lastPublished = now.monotonic
        suppressed = 0
    }
}
