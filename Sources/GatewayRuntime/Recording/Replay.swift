package import GatewayPipeline
import TelemetryModel

/// Runs recordings through the pipeline with no broker; their `at` is the gateway's clock.
package final class Replay {
    private var admission: AdmissionCheck
    private var pipeline: Pipeline
    private let output: ([UInt8]) -> Void
    private var now = GatewayTime(unix: UnixTime(0), monotonic: 0)

    /// A replay that passes each line of its output to `output`, without the newline. Histories are kept in memory, unless
    /// `keepsHistories` is false: then they are refused as by a gateway without a state directory.
    package init(
        settings: PipelineSettings, policy: AccessPolicy, keepsHistories: Bool = true, output: @escaping ([UInt8]) -> Void
    ) {
        var settings = settings
        settings.history.isStored = keepsHistories
        admission = AdmissionCheck(policy: policy, settings: settings)
        pipeline = Pipeline(settings: settings, policy: policy)
        self.output = output
    }

    /// Runs the recordings at `paths`, merged by `at`, then `idleSeconds` more, then processes waiting messages.
    ///
    /// Invalid lines are reported to `onProblem` and skipped. Throws when a file cannot be read.
    package func run(
        _ paths: [String], idleSeconds: Double = 0, onProblem: @escaping (String) -> Void
    ) throws(GatewayError) {
        var merge = RecordingMerge()
        for path in paths { try merge.add(try RecordingReader(path: path, onProblem: onProblem)) }
        while let recorded = try merge.next() { take(recorded) }
        idle(seconds: idleSeconds)
        end()
    }

    /// Lets time run on without messages, for timers that are due later.
    package func idle(seconds: Double) {
        if seconds > 0 { advance(to: now.unix.seconds + seconds) }
    }

    /// Processes waiting messages: no more will arrive.
    package func end() { write(pipeline.drain(at: now, endsRecording: true), at: now) }

    /// Processes one message. Deadlines before its `at` come first, except timers of its own device, whose samples show how long
    /// it was silent.
    package func take(_ recorded: RecordedMessage) {
        var notAdmitted: [OutboundMessage] = []
        let arrival = GatewayTime(unix: UnixTime(recorded.at), monotonic: max(now.monotonic, recorded.at))
        let known = admission.admit(recorded.message, at: arrival, into: &notAdmitted)
        for known in known { pipeline.holdTimers(of: known.device, at: now) }
        advance(to: recorded.at)
        write(notAdmitted, at: now)
        for known in known {
            write(pipeline.process(known, at: now), at: now)
            write(pipeline.tick(at: now), at: now)
        }
    }

    /// Advances the pipeline to every deadline in order, and then to `unix`.
    private func advance(to unix: Double) {
        let end = GatewayTime(unix: UnixTime(unix), monotonic: max(now.monotonic, unix))
        pipeline.advance(&now, to: end, write)
    }

    private func write(_ messages: [OutboundMessage], at now: GatewayTime) {
        for message in messages {
            output(
                RecordedMessage.line(
                    at: now.unix.seconds, topic: message.topic, retain: message.retain, payload: message.payload,
                    isBare: !message.payload.isEmpty))
        }
    }
}

/// Several recordings as one, by `at`; each keeps its own order.
private struct RecordingMerge {
    private final class Source {
        var reader: RecordingReader

        init(_ reader: consuming RecordingReader) { self.reader = reader }
    }

    private var sources: [Source] = []

    mutating func add(_ reader: consuming RecordingReader) throws(GatewayError) {
        let source = Source(reader)
        try source.reader.advance()
        sources.append(source)
    }

    mutating func next() throws(GatewayError) -> RecordedMessage? {
        var earliest: (source: Source, at: Double)?
        for source in sources {
            guard let at = source.reader.head?.at else { continue }
            if earliest == nil || at < (earliest?.at ?? .infinity) { earliest = (source, at) }
        }
        return try earliest?.source.reader.next()
    }
}
