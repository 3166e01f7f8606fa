import Foundation
import GatewayTestSupport
import Testing
import Yams

/// The schemas with their keys in the order of the files, for documentation.
struct SchemaNodes {
    /// The documents by their path, such as `out/depth-state.json`.
    let documents: [String: Node]

    /// Reads every schema; JSON is YAML.
    init() throws {
        var documents: [String: Node] = [:]
        for path in try Contract.files("schemas") {
            documents[String(path.dropFirst("schemas/".count))] = try Yams.compose(yaml: Contract.text(path))
        }
        self.documents = documents
    }

    /// The schemas of messages by their path: those that are not shared.
    var messages: [(path: String, node: Node)] {
        documents.filter { !$0.key.hasPrefix(Self.shared) }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The schemas that others share, by their name.
    var definitions: [(name: String, node: Node)] {
        documents.filter { $0.key.hasPrefix(Self.shared) }.sorted { $0.key < $1.key }.map { path, node in
            (String(path.dropFirst(Self.shared.count).dropLast(".json".count)), node)
        }
    }

    /// The shared schema with that name.
    func definition(_ name: String) -> Node? { documents["\(Self.shared)\(name).json"] }

    /// The shared schema that a reference such as `../common/seq.json`, or `seq.json` of another shared one, names.
    func target(of reference: String) -> (name: String, node: Node)? {
        let path = reference.hasPrefix("../") ? String(reference.dropFirst(3)) : Self.shared + reference
        guard path.hasPrefix(Self.shared), let node = documents[path] else { return nil }
        return (String(path.dropFirst(Self.shared.count).dropLast(".json".count)), node)
    }

    private static let shared = "common/"
}

extension Node {
    /// The members of a mapping in their order; empty for another node.
    var pairs: [(name: String, node: Node)] {
        mapping?.compactMap { pair in pair.key.string.map { ($0, pair.value) } } ?? []
    }

    /// The elements of a sequence; empty for another node.
    var elements: [Node] { sequence.map(Array.init) ?? [] }

    /// Whether it is the schema of null alone.
    var isNull: Bool { self["type"]?.string == "null" }
}
