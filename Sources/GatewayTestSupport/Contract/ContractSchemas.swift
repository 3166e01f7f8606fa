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
    private let published: [(levels: [Substring], schema: JSONSchema)]

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
        published = documents.compactMap { path, document in
            guard let topic = document["x-mqtt"]?["topic"]?.text, let schema = schemas[path], !Self.isReceived(path, document)
            else { return nil }
            return (Self.levels(topic), schema)
        }
    }

    /// Whether the messages of a schema are those that the gateway reads; it publishes the others.
    package static func isReceived(_ path: String, _ document: JSONValue) -> Bool {
        path.hasPrefix("in/") || path.hasPrefix("query/") || document["x-mqtt"]?["received"] == .flag(true)
    }

    /// The levels of a topic, without those of the root.
    private static func levels(_ topic: String) -> [Substring] {
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        let direction = levels.lastIndex { $0 == "out" }
        return direction.map { Array(levels[$0...]) } ?? levels
    }

    /// The schemas for messages that the gateway publishes on `topic`; a reply has one of several. `{level}` at the end stands for what is left.
    private func schemas(for topic: String) -> [JSONSchema] {
        let levels = Self.levels(topic)
        return published.filter { candidate in
            (candidate.levels.count == levels.count
                || (candidate.levels.last == "{level}" && candidate.levels.count < levels.count))
                && zip(candidate.levels, levels).allSatisfy { pattern, level in
                    pattern.firstIndex(of: "{").map { level.hasPrefix(pattern[..<$0]) } ?? (pattern == level)
                }
        }.map(\.schema)
    }

    /// Whether the gateway publishes messages on `topic`.
    package func covers(_ topic: String) -> Bool { !schemas(for: topic).isEmpty }

    /// The problem of a message that the gateway publishes; nil where it is valid, and where it clears a retained message.
    package func problem(topic: String, payload: [UInt8]) -> String? {
        guard !payload.isEmpty else { return nil }
        guard covers(topic) else { return "no schema has the topic" }
        guard let value = try? JSONValue(parsing: payload) else { return "no JSON" }
        let problems = schemas(for: topic).map { $0.problem(with: value) }
        return problems.contains(nil) ? nil : problems.compactMap(\.self).joined(separator: "; or ")
    }

    /// Records an issue of the running test unless a message of the gateway is valid. Topics of others are not checked.
    static func check(topic: String, payload: [UInt8]) {
        switch shared {
        case .success(let schemas):
            guard topic.contains("/out/") || schemas.covers(topic) else { return }
            guard let problem = schemas.problem(topic: topic, payload: payload) else { return }
            Issue.record("\(topic) contradicts docs/contract/schemas: \(problem)\n\(String(decoding: payload, as: UTF8.self))")
        case .failure(let error): Issue.record(error)
        }
    }
}
