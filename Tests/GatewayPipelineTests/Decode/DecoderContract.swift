import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

/// What the tests need of a decoder: valid messages and their topics.
struct DecoderContract: Sendable, CustomTestStringConvertible {
    /// A valid message.
    struct Sample: Sendable {
        /// Its topic.
        var topic: String
        /// The stream of the topic; nil for a producer's.
        var stream: StreamName?
        /// Its payload, none with bytes after its end.
        var payload: [UInt8]
        /// The same as a text whose places can be edited; nil for an encoding that is not JSON.
        var text: JSONText?
        /// How many samples its longest series holds; 0 where it has none.
        var longestSeries = 0
    }

    /// The decoder's name.
    var testDescription: String
    /// The producers whose messages it reads; none for the contract's own frames.
    var producers = Producers()
    /// Valid messages.
    var samples: [Sample]
    /// Whether every proper beginning of a sample must be refused, as where an encoding marks its own end.
    var refusesTruncation = true

    /// Frames of the wire contract in JSON.
    static let json = DecoderContract(
        testDescription: "JSON",
        samples: (SampleFrames.all + SampleFrames.raw).map { stream, text in
            let series = [.headphoneMotion, .deviceMotion, .batchedIMU].contains(stream) ? 3 : 0
            return Sample(
                topic: "wearables/d1/in/\(stream.rawValue)", stream: stream, payload: text.payload, text: text,
                longestSeries: series)
        })

    /// The same in Protocol Buffers.
    static let protobuf = DecoderContract(
        testDescription: "Protocol Buffers",
        samples: json.samples.compactMap { sample in
            guard let stream = sample.stream, let text = sample.text else { return nil }
            return Sample(
                topic: sample.topic, stream: stream, payload: ProtobufSample.payload(text, stream: stream),
                longestSeries: sample.longestSeries)
        })

    /// Messages of a producer in JSON, with the section that its part of the producers file has.
    static func producer(
        _ name: String, section: [String: String] = [:], _ samples: [(topic: String, text: JSONText, longestSeries: Int)]
    ) -> DecoderContract {
        var problems: [TreeProblem] = []
        let file = ConfigurationTree.table([name: .table(section.mapValues { .text($0) })])
        let contract = DecoderContract(
            testDescription: name, producers: Producers(file, problems: &problems),
            samples: samples.map {
                Sample(topic: $0.topic, payload: $0.text.payload, text: $0.text, longestSeries: $0.longestSeries)
            })
        precondition(problems.isEmpty, "\(problems)")
        return contract
    }
}

extension ConfigurationTree {
    fileprivate static func text(_ text: String) -> Self { Self(path: "", line: nil, value: .text(text)) }
    fileprivate static func table(_ table: [String: Self]) -> Self { Self(path: "", line: nil, value: .table(table)) }
}

extension DecoderContract {
    /// Reads a payload on the topic of `sample`, as admission check and pipeline do; `decoder` may have been used before.
    func decode(
        _ payload: [UInt8], like sample: Sample, with decoder: MessageDecoder
    ) throws(Rejection) -> DecodedMessage {
        let message = InboundMessage(topic: sample.topic, payload: payload)
        if sample.stream == nil { try checkSender(of: message) }
        return try decoder.decode(
            message, stream: sample.stream, received: GatewayTime(unix: UnixTime(1_782_303_700), monotonic: 100))
    }

    private func checkSender(of message: InboundMessage) throws(Rejection) {
        let settings = PipelineSettings.with { $0.producers = producers }
        guard try AdmissionCheck(policy: AccessPolicy(), settings: settings).sender(of: message) != nil else {
            throw Rejection(.invalidTopic, "no producer claims \(message.topic)")
        }
    }
}
