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
