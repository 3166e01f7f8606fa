import Foundation
import GatewayTestSupport
import Testing

/// Generators of code make a class of each schema that another refers to, of each object and enumeration within, and of each
/// alternative beside the fields of an object: there the whole object again. `make acceptance ONLY=contract` counts those of one.
@Suite("Schemas for generators of code")
struct GeneratorTests {
    private static let most = 20

    /// Counts what is to be a type, over references.
    private struct TypeCounter {
        let documents: [String: JSONValue]
        private var seen: Set<String> = []

        init(_ documents: [String: JSONValue]) { self.documents = documents }

        /// The types of a document.
        mutating func types(of path: String) -> Int {
            guard seen.insert(path).inserted, let schema = documents[path] else { return 0 }
            return 1 + types(in: schema, path, isNamed: true)
        }

        private mutating func types(in schema: JSONValue, _ path: String, isNamed: Bool = false) -> Int {
            let options = (schema["enum"]?.elements ?? []).filter { $0 != .null }
            var count = !isNamed && (schema["properties"] != nil || options.count > 1) ? 1 : 0
            for (keyword, value) in schema.members {
                switch keyword {
                case "$ref": count += types(of: value.text ?? "", from: path)
                case "properties": for member in value.members.values { count += types(in: member, path) }
                case "items":
                    let limits = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "pattern", "maxLength"]
                    count += types(in: value, path) + (limits.contains { value[$0] != nil } ? 1 : 0)
                case "anyOf", "oneOf", "allOf": for element in value.elements { count += types(in: element, path) }
                case "additionalProperties", "propertyNames": count += types(in: value, path)
                default: break
                }
            }
            return count
        }

        private mutating func types(of reference: String, from path: String) -> Int {
            let folder = path.split(separator: "/").first ?? ""
            return types(of: reference.hasPrefix("../") ? String(reference.dropFirst(3)) : "\(folder)/\(reference)")
        }
    }

    @Test("Each leads to at most 20 types")
    func types() throws {
        let documents = try Contract.schemas().documents
        for path in documents.keys {
            var counter = TypeCounter(documents)
            let count = counter.types(of: path)
            #expect((1...Self.most).contains(count), "\(path): \(count)")
        }
        var submersion = TypeCounter(documents)
        #expect(submersion.types(of: "in/submersion.json") > 15)
    }

    @Test("No alternatives of required fields stand beside the fields of an object: `not` says that one of them is there")
    func alternatives() throws {
        func check(_ schema: JSONValue, _ path: String) {
            if schema["properties"] != nil {
                let alternatives = (schema["anyOf"]?.elements ?? []) + (schema["oneOf"]?.elements ?? [])
                #expect(alternatives.allSatisfy { $0["$ref"] != nil }, "\(path): \(schema["description"]?.text ?? "")")
            }
            for (keyword, value) in schema.members where keyword != "not" { check(value, path) }
            for element in schema.elements { check(element, path) }
        }
        for (path, document) in try Contract.schemas().documents { check(document, path) }
    }
}
