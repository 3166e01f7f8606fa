import TelemetryModel

/// What one message becomes, stage by stage, in lines for people to read.
package struct Explanation: Sendable, Equatable {
    /// The lines, without line ends.
    package private(set) var lines: [String] = []
    /// Whether the message came through every stage.
    package private(set) var isAccepted = false

    private let settings: PipelineSettings
    private let policy: AccessPolicy
    private let now: GatewayTime

    /// Takes `message` through the stages of a gateway that has seen nothing before it.
    package init(_ message: InboundMessage, settings: PipelineSettings, policy: AccessPolicy, at now: GatewayTime) {
        self.settings = settings
        self.policy = policy
        self.now = now
        do throws(Rejection) {
            guard let known = try admit(message) else { return }
            isAccepted = try decode(known, message)
        } catch {
            say("rejected", error.reason.rawValue)
            if !error.pointer.isEmpty { say("at", error.pointer) }
            say("because", error.detail)
        }
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.lines == right.lines && left.isAccepted == right.isAccepted
    }

    private mutating func say(_ label: String, _ text: String) {
        let padding = String(repeating: " ", count: max(1, 12 - label.count))
        lines.append(label + padding + text)
    }

    private mutating func admit(_ message: InboundMessage) throws(Rejection) -> KnownMessage? {
        let shown = String(message.topic.unicodeScalars.prefix(200).map { $0.isPrintable ? Character($0) : "?" })
        say("topic", "\(shown), \(message.payload.count) bytes\(message.retain ? ", retained" : "")")
        try sayWhose(message)
        var door = Doorkeeper(policy: policy, settings: settings)
        var ignored: [OutboundMessage] = []
        guard let known = door.admit(message, at: now, into: &ignored) else {
            throw Rejection(.unknownDevice, "no device of the registry is known by this topic")
        }
        let standing = policy.devices[known.device] == nil ? "not in the registry, let in as everybody is" : "in the registry"
        say("device", "\(known.device), \(standing)")
        return known
    }

    /// Says whose topic it is; throws what the door turns the message away for.
    private mutating func sayWhose(_ message: InboundMessage) throws(Rejection) {
        if let producer = settings.producers.route(of: message.topic)?.producer {
            say("producer", type(of: producer).name)
            guard message.payload.count <= settings.decode.maximumPayloadBytes else {
                throw Rejection(
                    .payloadTooLarge,
                    "\(message.payload.count) bytes, at most \(settings.decode.maximumPayloadBytes) are read")
            }
            let sender = try producer.sender(of: message, parser: JSONParser(), limits: settings.decode)
            guard policy.device(of: sender) == nil else { return }
            switch sender {
            case .device(let device): throw Rejection(.unknownDevice, "\(device) is not in the registry")
            case .bound(let topic, let id):
                throw Rejection(
                    .unknownDevice, "no device of the registry is bound to \(id.quoted) on the topic \(topic.quoted)")
            }
        }
        let topic = try InboundTopic(message.topic, layout: settings.topics)
        say("producer", "none, a topic of the contract's own")
        guard policy.policy(for: topic.device) != nil else {
            throw Rejection(.unknownDevice, "\(topic.device) is not in the registry")
        }
    }

    private mutating func decode(_ known: KnownMessage, _ message: InboundMessage) throws(Rejection) -> Bool {
        guard let policy = policy.policy(for: known.device) else { return false }
        let decoder = MessageDecoder(producers: settings.producers)
        let decoded: DecodedMessage
        switch known.origin {
        case .producer:
            decoded = try decoder.decode(
                message, context: ProducerContext(limits: settings.decode, received: now))
        case .stream(let name):
            guard let stream = StreamName(rawValue: String(name)) else {
                throw Rejection(.unknownStream, "no stream is named \(String(name).quoted)")
            }
            if message.retain, !stream.isRetained { return ignoreRetained() }
            if message.payload.isEmpty, stream.isRetained {
                say("decoded", "empty: it forgets what \(stream.rawValue) said before")
                return true
            }
            decoded = try decoder.decode(message, stream: stream, limits: settings.decode)
        }
        switch decoded.content {
        case .presence(let state): say("decoded", "word that the device is \(state.rawValue), effective on arrival")
        case .lastWill(let frame):
            say("decoded", "last will of the boot \(frame.header.boot): the device is offline if that is its current boot")
        case .frames(let frames):
            sayHeader(decoded)
            if message.retain, decoded.carrier.stream?.isRetained != true { return ignoreRetained() }
            if frames.isEmpty { say("decoded", "nothing: everything in it is passed over") }
            for frame in frames { try explain(frame, policy: policy) }
        }
        sayDerived(known)
        return true
    }

    private mutating func ignoreRetained() -> Bool {
        say("ignored", "a retained message of this kind may be from any time; only status and workout are meant to be retained")
        return false
    }

    private mutating func sayHeader(_ decoded: DecodedMessage) {
        let header = decoded.header
        let sequence = header.sequence.map { "seq \($0) of \(decoded.carrier.name)" } ?? "no seq"
        let sent = header.sent.map { ", sent \(Self.number($0.seconds))" } ?? ", no wall clock"
        say("header", "boot \(header.boot), \(sequence), uptime \(Self.number(header.uptime.seconds)) s\(sent)")
    }

    private mutating func explain(_ frame: DecodedFrame, policy: DevicePolicy) throws(Rejection) {
        let stream = frame.body.stream
        say("decoded", "\(stream.rawValue)\(frame.unitsText)")
        var conventions: [StreamName: ConventionTrack] = [:]
        if case .motion(let motion) = frame.body, case .measured(let isInUnitOfGravity) = motion.convention {
            var track = ConventionTrack()
            let isDecided = track.learn(
                motion.samples, accelerationIsInUnitOfGravity: isInUnitOfGravity, isStandardised: policy.isStandardised)
            conventions[stream] = track
            guard isDecided else {
                say("units", "not decided by \(motion.samples.count) samples; the message waits for more of them")
                return
            }
            say("units", track.isStandardised ? "measured: signs opposite to Core Motion's" : "measured: Core Motion's signs")
        }
        var clock = DeviceClock()
        clock.observe(frame.header, at: now)
        let normalized = try NormalizedFrame(
            frame, stream: stream, clock: clock, conventions: conventions, futureSkewSeconds: settings.futureSkewSeconds,
            received: now)
        sayTimes(of: normalized)
        lines += normalized.body.explained.map { "            " + $0 }
        sayCheck(of: normalized, policy: policy)
    }

    private mutating func sayTimes(of frame: NormalizedFrame) {
        let from = Self.number(frame.start.seconds + frame.offset)
        let until = Self.number(frame.end.seconds + frame.offset)
        let ahead = frame.skew.map { ", \(Self.number($0)) s ahead of this clock" } ?? ""
        let span = from == until ? from : "\(from) to \(until)"
        say("time", "unix \(span), device time less by \(Self.number(frame.offset)) s\(ahead)")
    }

    private mutating func sayCheck(of frame: NormalizedFrame, policy: DevicePolicy) {
        let authorizer = Authorizer(policy: policy, claims: nil)
        switch authorizer.check(frame, workouts: WorkoutHistory(), mayWait: true) {
        case .allowed(let authorized, _):
            let limit = authorized.maximumDepth.map { ", to a depth of \(Self.number($0)) m" } ?? ""
            say("check", "allowed\(limit)")
        case .refused(let reason, let code):
            say("check", "refused: \(reason.rawValue)\(code.map { " (\($0.rawValue))" } ?? "")")
        case .awaitsWorkout: say("check", "waits for news of a workout; refused when there is none")
        }
    }

    private mutating func sayDerived(_ known: KnownMessage) {
        var pipeline = Pipeline(settings: settings, policy: policy)
        let messages = pipeline.process(known, at: now) + pipeline.drain(at: now)
        if messages.isEmpty { say("derived", "nothing by this message alone") }
        for message in messages {
            say("derived", message.topic + (message.retain ? " (retained)" : ""))
            lines.append("            " + String(decoding: message.payload, as: UTF8.self))
        }
    }

    static func number(_ value: Double) -> String {
        let rounded = (value * 1000).rounded() / 1000
        return rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int(rounded))" : "\(rounded)"
    }
}
