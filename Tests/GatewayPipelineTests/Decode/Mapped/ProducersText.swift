import Foundation
import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing
import Yams

/// A producers file in a test.
enum ProducersText {
    /// The pieces of a YAML text.
    static func options(_ text: String) throws -> ConfigurationTree {
        guard let node = try Yams.compose(yaml: text) else {
            return ConfigurationTree(path: "", line: nil, value: .table([:]))
        }
        return options(node, path: "")
    }

    private static func options(_ node: Node, path: String) -> ConfigurationTree {
        let value: ConfigurationTree.Value
        switch node {
        case .scalar(let scalar): value = .text(scalar.string)
        case .sequence(let sequence):
            value = .list(sequence.enumerated().map { options($1, path: "\(path)[\($0)]") })
        case .mapping(let mapping):
            value = .table(
                Dictionary(
                    mapping.map { pair in
                        let key = pair.key.string ?? ""
                        return (key, options(pair.value, path: path.isEmpty ? key : "\(path).\(key)"))
                    }, uniquingKeysWith: { $1 }))
        case .alias: value = .text("")
        }
        return ConfigurationTree(path: path, line: node.mark?.line, value: value)
    }

    /// The producers of a text that has no problems.
    static func producers(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Producers {
        var problems: [TreeProblem] = []
        let producers = Producers(try options(text), problems: &problems)
        #expect(problems.isEmpty, sourceLocation: sourceLocation)
        return producers
    }

    /// The problems of a text, each as its path and its message.
    static func problems(_ text: String) throws -> [String] {
        var problems: [TreeProblem] = []
        _ = Producers(try options(text), problems: &problems)
        return problems.map { "\($0.path) \($0.message)" }
    }

    /// The file that the project ships.
    static func shipped() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "config/producers.example.yaml"), encoding: .utf8)
    }
}

/// One message of a producer's, decoded as the pipeline would.
enum ProducerDecoding {
    static let received = 1_763_749_000.0

    static func decode(
        _ topic: String, _ payload: [UInt8], _ producers: Producers, at received: Double = received
    ) throws(Rejection) -> DecodedMessage {
        try MessageDecoder(producers: producers).decode(
            InboundMessage(topic: topic, payload: payload), stream: nil,
            received: GatewayTime(unix: UnixTime(received), monotonic: received))
    }

    static func decode(_ topic: String, _ text: String, _ producers: Producers) throws(Rejection) -> DecodedMessage {
        try decode(topic, Array(text.utf8), producers)
    }

    static func rejection(
        _ topic: String, _ text: String, _ producers: Producers, sourceLocation: SourceLocation = #_sourceLocation
    ) -> Rejection? {
        #expect(throws: Rejection.self, sourceLocation: sourceLocation) { try decode(topic, text, producers) }
    }
}

extension PipelineHarness {
    /// A pipeline with producers.
    init(producers: Producers, policy: AccessPolicy = AccessPolicy(unknown: .everything)) {
        self.init(settings: .with { $0.producers = producers }, policy: policy)
    }

    /// The state of a device.
    func state(of device: String) -> DeviceState? { DeviceID(device).flatMap { pipeline.state(of: $0) } }
}
