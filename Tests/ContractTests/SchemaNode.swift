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

    /// The definitions of `common.json` in their order.
    var definitions: [(name: String, node: Node)] { documents["common.json"]?["$defs"]?.pairs ?? [] }

    /// The definition of `common.json` with that name.
    func definition(_ name: String) -> Node? { documents["common.json"]?["$defs"]?[name] }

    /// The definition that a reference such as `../common.json#/$defs/seq` names.
    func target(of reference: String) -> (name: String, node: Node)? {
        guard let name = reference.split(separator: "/").last.map(String.init) else { return nil }
        return definition(name).map { (name, $0) }
    }
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
