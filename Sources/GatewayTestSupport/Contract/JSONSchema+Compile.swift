import Foundation

/// Why a schema cannot be used.
package struct SchemaFault: Error, CustomStringConvertible {
    /// Where, and why.
    package var description: String
}

/// Reads schemas and resolves their references.
struct SchemaCompiler {
    /// The documents by their path below the folder of schemas.
    let documents: [String: JSONValue]
    private var compiled: [String: JSONSchema] = [:]
    private var open: Set<String> = []

    init(documents: [String: JSONValue]) { self.documents = documents }

    /// The schema of a document.
    mutating func schema(_ path: String) throws -> JSONSchema {
        guard let document = documents[path] else { throw SchemaFault(description: "\(path): no such schema") }
        return try compile(document, in: path)
    }

    private mutating func compile(_ schema: JSONValue, in path: String) throws -> JSONSchema {
        if let isAllowed = schema.flag { return JSONSchema(isAllowed ? [] : [.nothing]) }
        guard case .object(let members) = schema else { throw SchemaFault(description: "\(path): no object") }
        var keywords: [JSONSchema.Keyword] = []
        for (name, value) in members { keywords += try keyword(name, value, of: members, in: path).map { [$0] } ?? [] }
        // Only when everything else has been examined is it known which properties were not.
        if members["unevaluatedProperties"] == .flag(false) { keywords.append(.noOtherProperties) }
        return JSONSchema(keywords)
    }

    private mutating func keyword(
        _ name: String, _ value: JSONValue, of schema: [String: JSONValue], in path: String
    ) throws -> JSONSchema.Keyword? {
        switch name {
        case "$schema", "$id", "$defs", "title", "description", "contentEncoding": return nil
        case _ where name.hasPrefix("x-"): return nil
        case "type":
            return .types((value.text.map { [$0] } ?? value.elements.compactMap(\.text)).compactMap(JSONSchema.Kind.init))
        case "const": return .constant(value)
        case "enum": return .values(value.elements)
        case "required": return .required(value.elements.compactMap(\.text))
        case "properties":
            return .properties(
                Dictionary(uniqueKeysWithValues: try value.members.map { ($0, try compile($1, in: path)) }))
        case "additionalProperties" where schema["properties"] == nil: return .additionalProperties(try compile(value, in: path))
        case "unevaluatedProperties" where value == .flag(false): return nil
        case "propertyNames": return .propertyNames(try compile(value, in: path))
        case "items": return .items(try compile(value, in: path))
        case "minItems", "maxItems":
            let least = schema["minItems"]?.number ?? 0
            return .count(Int(least)...Int(schema["maxItems"]?.number ?? 1e9))
        case "minimum": return value.number.map { .minimum($0) }
        case "exclusiveMinimum": return value.number.map { .exclusiveMinimum($0) }
        case "maximum": return value.number.map { .maximum($0) }
        case "exclusiveMaximum": return value.number.map { .exclusiveMaximum($0) }
        case "maxLength": return value.number.map { .longest(Int($0)) }
        case "pattern": return .pattern(try NSRegularExpression(pattern: value.text ?? ""))
        case "allOf": return .all(try value.elements.map { try compile($0, in: path) })
        case "anyOf": return .any(try value.elements.map { try compile($0, in: path) })
        case "oneOf": return .one(try value.elements.map { try compile($0, in: path) })
        case "not": return .not(try compile(value, in: path))
        case "if": return .condition(try compile(value, in: path), then: try compile(schema["then"] ?? .flag(true), in: path))
        case "then" where schema["if"] != nil: return nil
        case "$ref": return .all([try resolve(value.text ?? "", from: path)])
        default: throw SchemaFault(description: "\(path): the keyword \(name) is not known")
        }
    }

    /// The schema that a reference such as `../common/seq.json` names.
    private mutating func resolve(_ reference: String, from path: String) throws -> JSONSchema {
        let parts = reference.split(separator: "#", omittingEmptySubsequences: false)
        let file = parts[0].isEmpty ? path : Self.file(String(parts[0]), from: path)
        let pointer = parts.count > 1 ? parts[1] : ""
        let key = "\(file)#\(pointer)"
        if let known = compiled[key] { return known }
        guard open.insert(key).inserted else { throw SchemaFault(description: "\(path): \(reference) refers to itself") }
        defer { open.remove(key) }
        var target = documents[file]
        for token in pointer.split(separator: "/") { target = target?[String(token)] }
        guard let target else { throw SchemaFault(description: "\(path): \(reference) refers to nothing") }
        let schema = try compile(target, in: file)
        compiled[key] = schema
        return schema
    }

    private static func file(_ reference: String, from path: String) -> String {
        var folders = path.split(separator: "/").dropLast()
        for step in reference.split(separator: "/") {
            if step == ".." { folders = folders.dropLast() } else { folders.append(step) }
        }
        return folders.joined(separator: "/")
    }
}
