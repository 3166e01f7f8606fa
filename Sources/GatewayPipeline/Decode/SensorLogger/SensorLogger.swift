import TelemetryModel

/// The Sensor Logger app, which publishes a phone's, a watch's and headphones' readings in one envelope on one topic.
///
/// Its times are unix time, so that is the device's clock; a recording is a boot, a message's number its `seq`.
struct SensorLogger: Producer {
    static let name = "sensorLogger"
    private static let defaultTopic = "sensor-logger"

    private let topics: [TopicFilter]

    init(options: ConfigurationTree, problems: inout [TreeProblem]) {
        options.expectKeys(["topic"], problems: &problems)
        let topic = options["topic"]
        let texts = topic == nil ? [Self.defaultTopic] : options.texts("topic", problems: &problems) ?? []
        if let topic, case .list(let list) = topic.value, list.isEmpty { problems.append(topic.problem("lists no topic")) }
        topics = texts.map(TopicFilter.init)
        for (filter, text) in zip(topics, texts) {
            if let fault = filter.fault { problems.append((topic ?? options).problem("\(text.quoted) \(fault)")) }
        }
    }

    var subscriptions: [ProducerSubscription] {
        topics.map { ProducerSubscription(filter: $0.filter, stream: .headphoneMotion) }
    }

    func sender(of message: InboundMessage, parser: JSONParser, limits: DecodeLimits) throws(Rejection) -> ProducerSender {
        let envelope = try SensorLoggerEnvelope.parse(message.payload, parser: parser, limits: limits)
        return .bound(topic: message.topic, id: try SensorLoggerEnvelope.deviceID(of: envelope))
    }

    func decode(_ message: InboundMessage, parser: JSONParser, context: ProducerContext) throws(Rejection) -> DecodedMessage {
        let node = try SensorLoggerEnvelope.parse(message.payload, parser: parser, limits: context.limits)
        let envelope = try SensorLoggerEnvelope(node)
        do throws(Rejection) {
            return Self.decoded(message, envelope, try SensorLoggerReadings(node, limits: context.limits), context)
        } catch {
            throw error.of(boot: envelope.session, sequence: envelope.number)
        }
    }

    private static func decoded(
        _ message: InboundMessage, _ envelope: SensorLoggerEnvelope, _ readings: SensorLoggerReadings, _ context: ProducerContext
    ) -> DecodedMessage {
        let latest = readings.latest.map(\.seconds) ?? context.received.unix.seconds
        let header = FrameHeader(
            boot: envelope.session, sequence: envelope.number, uptime: DeviceTime(latest), sent: UnixTime(latest))
        var passedOver = readings.passedOver
        // The watch may lag: frames are sorted by start, as each frame advances the device's time.
        let motions = (readings.streams.map { $0.motion(passedOver: &passedOver) } + [readings.phone].compactMap(\.self))
            .map { motion -> (start: Double, body: DecodedBody) in (motion.start, .motion(motion)) }
        let bodies = (motions + readings.activity.bodies(passedOver: &passedOver)).sorted { $0.start < $1.start }
        var decoded = DecodedMessage(
            message, received: context.received, scope: SequenceScope(producer: name), header: header,
            content: .frames(bodies.map(\.body)))
        decoded.passedOver = passedOver
        return decoded
    }
}

extension DecodedMotion {
    fileprivate var start: Double { samples.timestamp.first ?? 0 }
}
