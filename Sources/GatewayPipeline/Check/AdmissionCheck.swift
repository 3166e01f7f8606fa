package import TelemetryModel

/// A message of a device that is known. Only the admission check can make one.
package struct KnownMessage: Sendable, Equatable {
    /// The device that sent it.
    package let device: DeviceID
    /// The kind of topic it was received on.
    package let origin: Origin
    /// The message itself, not decoded.
    package let message: InboundMessage

    /// The kinds of topic.
    package enum Origin: Sendable, Equatable {
        /// A topic of a stream.
        case stream(StreamName)
        /// A topic of the contract whose last level is no stream.
        case unknownStream
        /// A topic of a producer.
        case producer
    }

    /// The stream of a topic of the contract; nil for another name, and for a producer's topic.
    var stream: StreamName? {
        if case .stream(let stream) = origin { stream } else { nil }
    }

    fileprivate init(device: DeviceID, origin: Origin, message: InboundMessage) {
        self.device = device
        self.origin = origin
        self.message = message
    }
}

/// The first check: which devices are known. A message of an unknown device is not decoded, and no state is kept for the device.
package struct AdmissionCheck: Sendable {
    /// The known devices.
    package var policy: AccessPolicy
    /// Messages that were not admitted, by reason.
    package private(set) var rejected: [RejectionReason: Int] = [:]

    private let settings: PipelineSettings
    private let encoder: OutboundEncoder
    private let limit: AdmissionLimit

    /// A check by `policy`, whose messages about what it rejects count against `limit`.
    package init(policy: AccessPolicy, settings: PipelineSettings, limit: AdmissionLimit = AdmissionLimit()) {
        self.policy = policy
        self.limit = limit
        self.settings = settings
        encoder = OutboundEncoder(settings)
    }

    /// Admits `message`, or counts it as rejected and appends the `rejected` message to `messages`. What is not of `share` is
    /// ignored: another pipeline receives it too.
    package mutating func admit(
        _ arrived: ArrivedMessage, for share: StreamShare = .whole, at now: GatewayTime, into messages: inout [OutboundMessage]
    ) -> KnownMessage? {
        do throws(Rejection) {
            return try examine(arrived, for: share)
        } catch {
            reject(arrived.message, error, at: now, into: &messages)
            return nil
        }
    }

    /// The message with its device; nil where it is not of `share`. Throws why it is not admitted, if `share` reports that.
    package func examine(_ arrived: ArrivedMessage, for share: StreamShare) throws(Rejection) -> KnownMessage? {
        let message = arrived.message
        if let claim = arrived.claim {
            guard share.streams.contains(claim.stream), let sender = claim.sender else { return nil }
            return KnownMessage(device: try device(of: try sender.get()), origin: .producer, message: message)
        }
        let topic: InboundTopic
        do throws(Rejection) {
            topic = try InboundTopic(message.topic, layout: settings.topics)
        } catch {
            if share.takesUnknown { throw error }
            return nil
        }
        let stream = StreamName(rawValue: String(topic.stream))
        guard share.receives(stream) else { return nil }
        let reports = stream.map(share.streams.contains) ?? share.takesUnknown
        guard policy.policy(for: topic.device) != nil else {
            if reports { throw refusal(of: topic.device) }
            return nil
        }
        return KnownMessage(device: topic.device, origin: stream.map { .stream($0) } ?? .unknownStream, message: message)
    }

    /// Whether a message on `topic` is for the pipeline of `share`, which has a session together with others.
    package func concerns(_ topic: String, _ share: StreamShare) -> Bool {
        if let route = settings.producers.route(of: topic) { return share.streams.contains(route.stream) }
        guard let parsed = try? InboundTopic(topic, layout: settings.topics) else { return share.takesUnknown }
        return share.receives(StreamName(rawValue: String(parsed.stream)))
    }

    /// Why a device is not known.
    private func refusal(of device: DeviceID) -> Rejection {
        guard let partitions = policy.partitions, !partitions.owns(device) else {
            return Rejection(.unknownDevice, "\(device) is not in the registry")
        }
        return Rejection(
            .otherPartition, "\(device) is in partition \(partitions.number(of: device)), this gateway owns \(partitions)")
    }

    private func device(of sender: ProducerSender) throws(Rejection) -> DeviceID {
        if let device = policy.device(of: sender) {
            guard policy.owns(device) else { throw refusal(of: device) }
            return device
        }
        switch sender {
        case .device(let device): throw refusal(of: device)
        case .bound(let topic, let id):
            throw Rejection(
                .unknownDevice, "no device of the registry is bound to \(id.quoted) on the topic \(topic.quoted)")
        }
    }

    private mutating func reject(
        _ message: InboundMessage, _ rejection: Rejection, at now: GatewayTime, into messages: inout [OutboundMessage]
    ) {
        rejected[rejection.reason, default: 0] += 1
        guard let count = limit.admit(at: now.monotonic, perSecond: settings.rejectedPerSecond) else { return }
        messages.append(
            encoder.encode(rejection, topic: message.topic, gateway: settings.gateway, count: count, received: now.unix))
    }
}
