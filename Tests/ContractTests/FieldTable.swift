import Yams

/// The fields of a schema as rows of a table.
struct FieldTable {
    /// One field.
    struct Row {
        var name: String
        var isRequired: Bool
        var type: String
        var values: String
        var unit: String
        var meaning: String
    }

    /// What a property may be, in words.
    private struct Words {
        var type: String
        var values = ""
    }

    let schemas: SchemaNodes

    /// Definitions that have a section of their own, to which tables refer.
    static let sections = [
        "message", "signal", "frame", "dated", "fusedMotion", "rawMotion", "accelerometer", "timestamps", "vectors",
        "quaternions",
        "length", "pressure", "temperature", "discoveryComponent", "discoveryAvailability",
    ]

    /// The table for the properties of an object's schema.
    func markdown(_ schema: Node) -> String {
        let rows = self.rows(schema, prefix: "").map { row in
            "| `\(row.name)` | \(row.isRequired ? "yes" : "no") | \(row.type) | \(row.values) | \(row.unit) | \(row.meaning) |"
        }
        return (["| field | required | type | values | unit | meaning |", "|---|---|---|---|---|---|"] + rows).joined(
            separator: "\n")
    }

    private func rows(_ schema: Node, prefix: String) -> [Row] {
        let required = Set((schema["required"]?.elements ?? []).compactMap(\.string))
        return (schema["properties"]?.pairs ?? []).flatMap { name, property -> [Row] in
            // What is not allowed is no field, and the kind is the end of the topic.
            guard property.bool != false, !property.isNull, name != "kind" || property["description"] != nil else { return [] }
            let own = Self.withoutNull(property)
            let words = self.words(property)
            let row = Row(
                name: prefix + name, isRequired: required.contains(name), type: words.type, values: words.values,
                unit: unit(of: property), meaning: meaning(of: property))
            let isList = own["items"]?["properties"] != nil || own["items"]?["allOf"] != nil
            let inner = isList ? own["items"] : own
            guard let inner, inner["properties"] != nil, own["$ref"] == nil else { return [row] }
            return [row] + rows(inner, prefix: prefix + name + (isList ? "[]." : "."))
        }
    }

    /// The only alternative that is not null, where a property is that or null.
    private static func withoutNull(_ property: Node) -> Node {
        let alternatives = (property["anyOf"]?.elements ?? []).filter { !$0.isNull }
        return alternatives.count == 1 && property["properties"] == nil ? alternatives[0] : property
    }

    private func meaning(of property: Node) -> String {
        if let text = property["description"]?.string { return text }
        guard let reference = Self.withoutNull(property)["$ref"]?.string else { return "" }
        return schemas.target(of: reference)?.node["description"]?.string ?? ""
    }

    private func unit(of property: Node) -> String {
        if let unit = property["x-unit"]?.string { return unit }
        let own = Self.withoutNull(property)
        if let unit = own["x-unit"]?.string { return unit }
        return own["$ref"]?.string.flatMap(schemas.target)?.node["x-unit"]?.string ?? ""
    }

    private func words(_ property: Node) -> Words {
        if let alternatives = property["anyOf"]?.elements, property["properties"] == nil, property["allOf"] == nil {
            let all = alternatives.map(words)
            let types =
                all.filter { $0.type != "null" }.map(\.type).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
                + (all.contains { $0.type == "null" } ? ["null"] : [])
            let values = all.map(\.values).filter { !$0.isEmpty }.reduce(into: [String]()) {
                if !$0.contains($1) { $0.append($1) }
            }
            return Words(type: types.joined(separator: " or "), values: values.joined(separator: "; "))
        }
        if let reference = (property["$ref"] ?? property["allOf"]?.elements.first?["$ref"])?.string,
            let target = schemas.target(of: reference)
        {
            let hasSection = target.node["oneOf"] != nil || Self.sections.contains(target.name)
            let words = hasSection ? Words(type: "[\(target.name)](#\(target.name.lowercased()))") : words(target.node)
            // What a property says beside its reference is more precise.
            let own = Self.range(property)
            return own.isEmpty ? words : Words(type: words.type, values: own)
        }
        if let constant = property["const"] {
            let type = constant.tag == Tag(.bool) ? "boolean" : constant.tag == Tag(.int) ? "integer" : "string"
            return Words(type: type, values: "`\(constant.string ?? "")`")
        }
        if let values = property["enum"]?.elements {
            let isText = values.first?.tag == Tag(.str)
            let type = isText ? "string" : "integer" + (values.contains { $0.null != nil } ? " or null" : "")
            return Words(
                type: type,
                values: values.filter { $0.null == nil }.compactMap(\.string).map { "`\($0)`" }.joined(separator: ", "))
        }
        let types = property["type"]?.string.map { [$0] } ?? (property["type"]?.elements ?? []).compactMap(\.string)
        var words = Words(type: types.joined(separator: " or "), values: Self.range(property))
        if types.contains("array"), let items = property["items"] {
            let inner = items["properties"] == nil ? self.words(items) : Words(type: "object")
            let elements = inner.type.contains(" or ") ? "(\(inner.type))" : inner.type
            words.type = words.type.replacing("array", with: "array of \(elements)")
            if words.values.isEmpty { words.values = inner.values }
        }
        if types.contains("object"), let members = property["additionalProperties"] {
            words.values = "any names"
            let inner = self.words(members)
            if inner.type.hasPrefix("[") { words.type = "object of \(inner.type)" }
        }
        return words
    }

    /// Limits in words.
    private static func range(_ property: Node) -> String {
        if let pattern = property["pattern"]?.string { return patterns[pattern] ?? "`\(pattern)`" }
        if let length = property["maxLength"]?.int { return "at most \(length) characters" }
        if let most = property["maxItems"]?.int {
            let least = property["minItems"]?.int ?? 0
            return least == most
                ? "\(most) element\(most == 1 ? "" : "s")"
                : least == 0 ? "at most \(most) elements" : "\(least) to \(most) elements"
        }
        let least = property["minimum"]?.string.map(number)
        let most = property["maximum"]?.string.map(number)
        let under = property["exclusiveMaximum"]?.string.map(number)
        let over = property["exclusiveMinimum"]?.string.map(number)
        switch (least, most, under, over) {
        case (let least?, let most?, _, _): return "\(least) to \(most)"
        case (let least?, nil, let under?, _): return "\(least) or more, under \(under)"
        case (let least?, nil, nil, _): return "\(least) or more"
        case (nil, _, _, let over?): return "more than \(over)"
        default: return ""
        }
    }

    private static let patterns = [
        "^[0-9a-f]{32}$": "32 hexadecimal digits", "^[0-9a-f]{4}$": "4 hexadecimal digits",
        #"^[A-Za-z0-9_-]{1,64}(/[!-"$-*,-.0-~]+)+$"#: "a user, and one or more levels after it",
        "^[A-Za-z0-9_-]{1,64}$": "1 to 64 of `A-Z a-z 0-9 _ -`", "^[0-9a-z]{1,13}$": "1 to 13 of `0-9 a-z`",
        "^[A-Za-z0-9_-]{1,32}$": "1 to 32 of `A-Z a-z 0-9 _ -`",
    ]

    /// Numbers that are a date or a power of two, by that.
    private static func number(_ text: String) -> String {
        switch text {
        case "9007199254740991": "2^53 - 1"
        case "-9007199254740991": "-2^53 + 1"
        case "9007199254.740992": "2^53 us"
        case "978307200": "978307200 (2001-01-01)"
        case "4102444800": "4102444800 (2100-01-01)"
        default: text
        }
    }
}
