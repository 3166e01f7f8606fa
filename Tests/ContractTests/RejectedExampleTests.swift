import Foundation
import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Examples of bad frames")
struct RejectedExampleTests {
    /// What is published for the messages of a case, as topics and payloads.
    func published(_ example: JSONValue) throws -> [(topic: String, payload: JSONValue)] {
        let overrides = (example["settings"]?.members ?? [:]).map { "\($0.key)=\($0.value.text ?? "")" }
        let (configuration, problems) = GatewayConfiguration.load(file: nil, overrides: overrides)
        #expect(problems.isEmpty)
        var policy = AccessPolicy(unknown: .everything)
        if let text = example["registry"]?.text { policy = AccessPolicy(try #require(Registry.load(text: text).registry)) }
        policy.partitions = configuration.gateway.partition
        var published: [(topic: String, payload: JSONValue)] = []
        let replay = Replay(settings: try PipelineSettings(configuration), policy: policy, keepsHistories: false) { line in
            guard let recorded = try? RecordedMessage(line: line[...]),
                let payload = try? JSONValue(parsing: recorded.message.payload)
            else { return }
            published.append((recorded.message.topic, payload))
        }
        for message in example["messages"]?.elements ?? [] {
            let payload =
                message["payloadBase64"]?.text.flatMap(Base64.decode) ?? Array((message["payloadText"]?.text ?? "").utf8)
            replay.take(
                RecordedMessage(
                    at: try #require(message["at"]?.number),
                    message: InboundMessage(
                        topic: try #require(message["topic"]?.text), payload: payload, retain: message["retain"]?.flag ?? false,
                        contentType: message["contentType"]?.text)))
        }
        replay.end()
        return published
    }

    @Test("Each gives exactly its reason and place through the decoder, and there is one for each reason")
    func rejected() throws {
        let files = try Contract.files("examples/rejected")
        #expect(
            Set(files) == Set(RejectionReason.ofFrames.map { "examples/rejected/\($0.rawValue).json" }))
        for file in files {
            let example = try JSONValue(parsing: Contract.text(file).utf8)
            let expected = try #require(example["expected"])
            #expect(file == "examples/rejected/\(expected["payload"]?["reason"]?.text ?? "").json")
            let reports = try published(example).filter { $0.topic.hasSuffix("/rejected") }
            #expect(reports.count == 1, "\(file): \(reports.map(\.payload.description))")
            for report in reports {
                #expect(report.topic == expected["topic"]?.text, "\(file)")
                for (name, value) in expected["payload"]?.members ?? [:] {
                    #expect(report.payload[name] == value, "\(file): \(name)")
                }
                #expect(
                    try Contract.schemas().problem(topic: report.topic, payload: Array(report.payload.description.utf8)) == nil)
            }
        }
    }

    @Test("A frame without its fields, or with null for each, is refused by its schema if the gateway refuses it")
    func empty() throws {
        for stream in StreamName.allCases { try compareEmpty(stream) }
    }

    private func compareEmpty(_ stream: StreamName) throws {
        let topic = "wearables/d1/in/\(stream.rawValue)"
        let schema = try #require(try Contract.schemas().documents["in/\(stream.rawValue).json"])
        let properties = schema["properties"]?.members ?? [:]
        for fields in ["", properties.keys.sorted().map { ",\"\($0)\":null" }.joined()] {
            let frame = #"{"schema":"wearables/1","boot":"b","seq":0,"uptime":100,"sent":1763749000\#(fields)}"#
            let example = JSONValue.object([
                "messages": .array([
                    .object([
                        "at": .number(1_763_749_000), "topic": .string(topic), "retain": .flag(stream.isRetained),
                        "payloadText": .string(frame),
                    ])
                ])
            ])
            let isRejected = try published(example).contains { $0.topic.hasSuffix("/rejected") }
            let problem = try Contract.schemas().problem(topic: topic, payload: Array(frame.utf8))
            #expect((problem != nil) == isRejected, "\(frame): \(problem ?? "valid")")
        }
    }

    @Test("Each refusal has an example; the device is known, and one of the checks fails")
    func refused() throws {
        let files = try Contract.files("examples/refused")
        let reasons = AccessReason.allCases.filter { ![.allowed, .unknownDevice].contains($0) }
        #expect(Set(files) == Set(reasons.map { "examples/refused/\($0.rawValue).json" }))
        for file in files {
            let example = try JSONValue(parsing: Contract.text(file).utf8)
            let expected = try #require(example["expected"])
            let decision = try #require(try published(example).last { $0.topic == expected["topic"]?.text }, "\(file)")
            for (name, value) in expected["payload"]?.members ?? [:] {
                #expect(decision.payload[name] == value, "\(file): \(name)")
            }
        }
    }
}
