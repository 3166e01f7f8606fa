package import Foundation
import GatewayPipeline
import Testing

/// The schemas of the contract, in `docs/contract/schemas`.
package struct ContractSchemas: Sendable {
    /// `docs/contract`.
    package static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../docs/contract").standardizedFileURL

    /// The schemas of the repository.
    package static let shared = Result { try ContractSchemas(folder: folder.appending(path: "schemas")) }

    /// The documents by their path, such as `out/depth-state.json`.
    package let documents: [String: JSONValue]
    /// The schemas of the documents.
    package let schemas: [String: JSONSchema]
    private let byTopic: [(levels: [Substring], schema: JSONSchema)]

    /// Reads every schema in a folder.
    package init(folder: URL) throws {
        var documents: [String: JSONValue] = [:]
        for file in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where file.hasSuffix(".json") {
            documents[file] = try JSONValue(parsing: Data(contentsOf: folder.appending(path: file)))
        }
        var compiler = SchemaCompiler(documents: documents)
        var schemas: [String: JSONSchema] = [:]
        for path in documents.keys { schemas[path] = try compiler.schema(path) }
        self.documents = documents
        self.schemas = schemas
        byTopic = documents.compactMap { path, document in
            guard let topic = document["x-mqtt"]?["topic"]?.text, let schema = schemas[path] else { return nil }
            return (Self.levels(topic), schema)
        }
    }

    /// The levels of a topic, without those of the root.
    private static func levels(_ topic: String) -> [Substring] {
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        let direction = levels.lastIndex { $0 == "in" || $0 == "out" }
        return direction.map { Array(levels[$0...]) } ?? levels
    }

    /// The schema for messages on `topic`; nil where there is none.
    package func schema(for topic: String) -> JSONSchema? {
        let levels = Self.levels(topic)
        return byTopic.first { candidate in
            candidate.levels.count == levels.count
                && zip(candidate.levels, levels).allSatisfy { $0 == $1 || $0.hasPrefix("{") }
        }?.schema
    }

    /// The problem of a message that the gateway publishes; nil where it is valid, and where it clears a retained message.
    package func problem(topic: String, payload: [UInt8]) -> String? {
        guard !payload.isEmpty else { return nil }
        guard let schema = schema(for: topic) else { return "no schema has the topic" }
        guard let value = try? JSONValue(parsing: payload) else { return "no JSON" }
        return schema.problem(with: value)
    }

    /// Records an issue of the running test unless a message of the gateway is valid. Topics of others are not checked.
    static func check(topic: String, payload: [UInt8]) {
        switch shared {
        case .success(let schemas):
            guard topic.contains("/out/") || schemas.schema(for: topic) != nil else { return }
            guard let problem = schemas.problem(topic: topic, payload: payload) else { return }
            Issue.record("\(topic) contradicts docs/contract/schemas: \(problem)\n\(String(decoding: payload, as: UTF8.self))")
        case .failure(let error): Issue.record(error)
        }
    }
}
