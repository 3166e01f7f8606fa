import Synchronization
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
        /// A topic of a producer, for one of the devices behind a bridge.
        case bridge
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
///
/// It keeps a parser for what a producer reads before admission, so each lane owns one, and none waits for another's payload.
package struct AdmissionCheck {
    /// The known devices.
    package var policy: AccessPolicy
    /// The messages that it admits; others are ignored, as another pipeline receives them too.
    package let share: StreamShare
    /// Messages that were not admitted, by reason.
    package private(set) var rejected: [RejectionReason: Int] = [:]

    private let settings: PipelineSettings
    private let encoder: OutboundEncoder
    private let limit: AdmissionLimit
    private let parser = JSONParser()

    /// A check by `policy` for the pipeline of `share`, whose messages about what it rejects count against `limit`.
    package init(
        policy: AccessPolicy, settings: PipelineSettings, share: StreamShare = .whole, limit: AdmissionLimit = AdmissionLimit()
    ) {
        self.policy = policy
        self.share = share
        self.limit = limit
        self.settings = settings
        encoder = OutboundEncoder(settings)
    }

    /// Reads a topic.
    package func address(of topic: String) -> TopicAddress {
        TopicAddress(topic, layout: settings.topics, producers: settings.producers)
    }

    /// Admits `message`, whose topic is read unless its `address` is known, or counts it as rejected and appends the `rejected` message to
    /// `messages`.
    ///
    /// - Returns: The message once for each device that it concerns: a bridge's for those behind it, in order of their ids. With `only` it
    ///   is admitted for that device alone.
    package mutating func admit(
        _ message: InboundMessage, from address: TopicAddress? = nil, only device: DeviceID? = nil, at now: GatewayTime,
        into messages: inout [OutboundMessage]
    ) -> [KnownMessage] {
        do throws(Rejection) {
            return try examine(message, from: address ?? self.address(of: message.topic), only: device)
        } catch {
            reject(message, error, at: now, into: &messages)
            return []
        }
    }

    /// The message with each of its devices, as `admit` returns it; none where it is not of the share. Throws why it is not admitted, if
    /// the share reports that.
    package func examine(
        _ message: InboundMessage, from address: TopicAddress, only one: DeviceID? = nil
    ) throws(Rejection) -> [KnownMessage] {
        guard share.receives(address) else { return [] }
        switch address {
        case .producer(let route):
            let sender = try sender(of: message, route)
            if case .bridge(let group) = sender {
                return devices(of: group, only: one).map { KnownMessage(device: $0, origin: .bridge, message: message) }
            }
            return of(one, KnownMessage(device: try device(of: sender), origin: .producer, message: message))
        case .contract(let device, let stream):
            guard policy.policy(for: device) == nil else {
                let origin = stream.map { KnownMessage.Origin.stream($0) } ?? .unknownStream
                return of(one, KnownMessage(device: device, origin: origin, message: message))
            }
            if stream.map(share.streams.contains) ?? share.takesUnknown { throw refusal(of: device) }
            return []
        case .invalid(let rejection): throw rejection
        }
    }

    private func of(_ one: DeviceID?, _ known: KnownMessage) -> [KnownMessage] {
        one.map { $0 == known.device } ?? true ? [known] : []
    }

    private func devices(of group: DeviceGroup, only one: DeviceID?) -> [DeviceID] {
        guard let one else { return policy.devices(of: group) }
        return group.contains(one) && policy.policy(for: one) != nil ? [one] : []
    }

    /// The sender that a producer reads of a message, before admission; nil where none claims the topic.
    package func sender(of message: InboundMessage) throws(Rejection) -> ProducerSender? {
        guard let route = settings.producers.route(of: message.topic) else { return nil }
        return try sender(of: message, route)
    }

    /// The device that a message names, in the registry or not; nil where it names none.
    package func device(of message: InboundMessage) -> DeviceID? {
        switch address(of: message.topic) {
        case .contract(let device, _): device
        case .producer(let route):
            switch try? sender(of: message, route) {
            case .device(let device): device
            case let sender?: policy.device(of: sender)
            case nil: nil
            }
        case .invalid: nil
        }
    }

    private func sender(of message: InboundMessage, _ route: Producers.Route) throws(Rejection) -> ProducerSender {
        try settings.decode.checkSize(of: message)
        return try route.producer.sender(of: message, parser: parser, limits: settings.decode)
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
        case .bridge: throw Rejection(.unknownDevice, "a bridge is no device")
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

/// The streams that one of several pipelines publishes for.
package struct StreamShare: Sendable, Equatable {
    /// The streams.
    package var streams: Set<StreamName>
    /// Whether it publishes rejections of messages on topics of no stream.
    package var takesUnknown: Bool

    /// A share of the streams.
    package init(streams: Set<StreamName>, takesUnknown: Bool) {
        self.streams = streams
        self.takesUnknown = takesUnknown
    }

    /// Whether its pipeline receives messages on a topic of `stream`; nil is a topic of no stream.
    func receives(_ stream: StreamName?) -> Bool {
        stream.map { streams.contains($0) || $0.concernsAllStreams } ?? takesUnknown
    }

    /// Whether its pipeline receives messages with an address.
    package func receives(_ address: TopicAddress) -> Bool {
        switch address {
        case .contract(_, let stream): receives(stream)
        case .producer(let route): streams.contains(route.stream)
        case .invalid: takesUnknown
        }
    }

    /// Adds the streams of another pipeline.
    package mutating func formUnion(_ other: Self) {
        streams.formUnion(other.streams)
        takesUnknown = takesUnknown || other.takesUnknown
    }

    /// All streams, for a single pipeline.
    package static let whole = StreamShare(streams: Set(StreamName.allCases), takesUnknown: true)
}

/// How often messages about what was not admitted are published. Several checks share it, of which none waits for another.
///
/// Unknown senders can choose their names, so nothing is kept by name.
package final class AdmissionLimit: Sendable {
    private let published = Atomic<UInt64>((-Double.infinity).bitPattern)
    private let suppressed = Atomic(0)

    /// Nothing was published.
    package init() {}

    /// How many messages the one that may be published at `monotonic` seconds stands for; nil where none may be.
    func admit(at monotonic: Double, perSecond: Double) -> Int? {
        let last = published.load(ordering: .relaxed)
        guard monotonic - Double(bitPattern: last) >= 1 / perSecond,
            published.compareExchange(expected: last, desired: monotonic.bitPattern, ordering: .relaxed).exchanged
        else {
            suppressed.add(1, ordering: .relaxed)
            return nil
        }
        return suppressed.exchange(0, ordering: .relaxed) + 1
    }
}
