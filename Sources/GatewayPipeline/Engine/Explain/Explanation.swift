import TelemetryModel

/// The result of each stage for one message, as text.
///
/// A trace of the stages, as they process the message in a gateway without earlier state.
package struct Explanation: Equatable {
    /// The lines to be shown.
    package private(set) var lines: [String] = []
    /// Whether the message passed every stage.
    package private(set) var isAccepted = true

    /// Passes `message` through the stages.
    package init(_ message: InboundMessage, settings: PipelineSettings, policy: AccessPolicy, at now: GatewayTime) {
        let shown = String(message.topic.unicodeScalars.prefix(200).map { $0.isPrintable ? Character($0) : "?" })
        say("topic", "\(shown), \(message.payload.count) bytes\(message.retain ? ", retained" : "")")
        do throws(Rejection) {
            let producer = settings.producers.route(of: message.topic)?.producer
            say("producer", producer.map { type(of: $0).name } ?? "none, a topic of the contract")
            if producer == nil, let json = ProtobufText.json(of: message, limits: settings.decode) {
                say("encoding", "Protocol Buffers; in JSON:")
                lines.append("            " + String(decoding: json, as: UTF8.self))
            }
            let admission = AdmissionCheck(policy: policy, settings: settings)
            let devices = try admission.examine(message, from: admission.address(of: message.topic))
            guard let known = devices.first else {
                say("device", "none: a message of a bridge concerns known devices, and only where it says offline")
                return
            }
            guard known.origin != .bridge else {
                say("device", "\(devices.count) behind a bridge: each that has a state is disconnected")
                return
            }
            let standing = policy.devices[known.device] == nil ? "not in the registry, admitted as all are" : "in the registry"
            say("device", "\(known.device), \(standing)")
            trace(known, in: Pipeline(settings: settings, policy: policy), at: now)
        } catch {
            report(error)
        }
    }

    private mutating func trace(_ known: KnownMessage, in pipeline: consuming Pipeline, at now: GatewayTime) {
        var pipeline = pipeline
        pipeline.isTracing = true
        let processed = pipeline.process(known, at: now)
        for report in pipeline.takeReports() { add(report) }
        report(processed)
        let drained = pipeline.drain(at: now, endsRecording: true)
        let later = pipeline.takeReports()
        let wasAccepted = isAccepted
        if !later.isEmpty { say("later", "if nothing more arrives") }
        for report in later { add(report) }
        report(drained)
        isAccepted = wasAccepted
        if isAccepted, !processed.contains(where: \.isDerived), !drained.contains(where: \.isDerived) {
            say("derived", "nothing by this message alone")
        }
    }

    private mutating func say(_ label: String, _ text: String) {
        let padding = String(repeating: " ", count: max(1, 12 - label.count))
        lines.append(label + padding + text)
    }

    private mutating func add(_ report: StageReport) {
        switch report {
        case .decoded(let decoded): add(decoded)
        case .cleared(let stream): say("decoded", "empty: what \(stream.rawValue) reported before is cleared")
        case .intake(let action): add(action)
        case .checked(let frame, let outcome): add(frame, outcome)
        case .rejected(let rejection): self.report(rejection)
        }
    }

    private mutating func report(_ rejection: Rejection) {
        isAccepted = false
        say("rejected", rejection.reason.rawValue)
        if !rejection.pointer.isEmpty { say("at", rejection.pointer) }
        say("because", rejection.detail)
    }

    private mutating func report(_ messages: [OutboundMessage]) {
        for message in messages where message.isDerived {
            say("derived", message.topic + (message.retain ? " (retained)" : ""))
            lines.append("            " + String(decoding: message.payload, as: UTF8.self))
        }
    }

    private mutating func add(_ decoded: DecodedMessage) {
        switch decoded.content {
        case .presence(let state): say("decoded", "a report that the device is \(state.rawValue), effective on arrival")
        case .lastWill:
            say("decoded", "last will of the boot \(decoded.header.boot): the device is offline if that is its current boot")
        case .frames(let frames):
            let header = decoded.header
            let sequence = header.sequence.map { "seq \($0) of \(decoded.scope.name)" } ?? "no seq"
            let sent = header.sent.map { ", sent \(Self.number($0.seconds))" } ?? ", no wall clock"
            say("header", "boot \(header.boot), \(sequence), uptime \(Self.number(header.uptime.seconds)) s\(sent)")
            if frames.isEmpty { say("decoded", "nothing that is used") }
            for frame in frames { say("decoded", "\(frame.stream.rawValue)\(frame.unitsText)") }
        }
        if let refusal = decoded.passedOver.report { say("left out", "\(refusal.pointer): \(refusal.detail)") }
    }

    private mutating func add(_ action: IntakeAction) {
        switch action {
        case .convention(let stream): say("units", "of \(stream.rawValue) measured")
        case .gap(let missing): say("order", "\(missing.count) frames from seq \(missing.first) are missing")
        case .bootBegan(_, .newRun(let cause)): say("boot", "begins another run: \(cause.rawValue)")
        case .report(let rejection, _, _, _): say("reported", "\(rejection.reason.rawValue): \(rejection.detail)")
        case .repeated(let count, _): say("repeated", "\(count) samples that are not later than those before: discarded")
        case .bootBegan(let header, .reboot), .bootBegan(let header, .returned): say("boot", "changes to \(header.boot)")
        case .outcome(let outcome, _):
            if outcome == .retainedIgnored { isAccepted = false }
            if let text = outcome.explained { say("order", text) }
        default: break
        }
    }

    private mutating func add(_ frame: NormalizedFrame, _ outcome: Authorizer.Outcome) {
        let from = Self.number(frame.start.seconds + frame.offset)
        let until = Self.number(frame.end.seconds + frame.offset)
        let ahead = frame.skew.map { ", \(Self.number($0)) s ahead of this clock" } ?? ""
        let span = from == until ? from : "\(from) to \(until)"
        say("time", "unix \(span), device time less by \(Self.number(frame.offset)) s\(ahead)")
        lines += frame.body.explained.map { "            " + $0 }
        switch outcome {
        case .allowed(let authorized, _):
            let limit = authorized.maximumDepth.map { ", to a depth of \(Self.number($0)) m" } ?? ""
            say("check", "allowed\(limit)")
        case .refused(let reason, let code):
            say("check", "refused: \(reason.rawValue)\(code.map { " (\($0.rawValue))" } ?? "")")
        }
    }

    static func number(_ value: Double) -> String {
        let rounded = (value * 1000).rounded() / 1000
        return rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int(rounded))" : "\(rounded)"
    }
}

extension IntakeAction.Outcome {
    /// The outcome as text; nil where other lines show it.
    fileprivate var explained: String? {
        switch self {
        case .processed: nil
        case .duplicate: "a duplicate, which is discarded"
        case .late: "of another boot than the device's current one, or too late: discarded"
        case .retainedIgnored:
            "ignored: a retained message of this kind may be from any time; only status and workout are meant to be retained"
        case .held(.earlierFrame): "waits for the frames before it"
        case .held(.units): "waits for more samples, to measure its units"
        case .held(.workout): "waits for a workout"
        case .held(.run): "waits: its clock, or its seq, is behind that of the messages before it"
        case .held(.boot): "waits: its boot is not known, and its clock is behind that of the current one"
        }
    }
}

extension OutboundMessage {
    /// Whether it is neither a report of a rejection nor the clearing of a topic.
    fileprivate var isDerived: Bool { !payload.isEmpty && !topic.hasSuffix("/rejected") }
}

/// The result of one stage of the pipeline for a message.
enum StageReport {
    /// What the message holds.
    case decoded(DecodedMessage)
    /// An empty retained message, which clears what the stream reported before.
    case cleared(StreamName)
    /// An action of the intake.
    case intake(IntakeAction)
    /// The outcome of the checks for a frame.
    case checked(NormalizedFrame, Authorizer.Outcome)
    /// The rejection of the message.
    case rejected(Rejection)
}
