import Foundation

/// A JSON Schema of draft 2020-12, with the keywords that the contract uses; any other keyword is an error.
package final class JSONSchema: Sendable {
    /// The types of JSON values.
    package enum Kind: String, Sendable {
        case object, array, string, number, integer, boolean, null
    }

    enum Keyword: Sendable {
        case nothing
        case types([Kind])
        case constant(JSONValue)
        case values([JSONValue])
        case required([String])
        case properties([String: JSONSchema])
        case additionalProperties(JSONSchema)
        case propertyNames(JSONSchema)
        case items(JSONSchema)
        case count(ClosedRange<Int>)
        case minimum(Double)
        case exclusiveMinimum(Double)
        case maximum(Double)
        case exclusiveMaximum(Double)
        case longest(Int)
        case pattern(NSRegularExpression)
        case all([JSONSchema])
        case any([JSONSchema])
        case one([JSONSchema])
        case not(JSONSchema)
        case condition(JSONSchema, then: JSONSchema)
        case noOtherProperties
    }

    let keywords: [Keyword]

    init(_ keywords: [Keyword]) { self.keywords = keywords }

    /// The first problem of `value`, with a JSON pointer to it; nil where it is valid.
    package func problem(with value: JSONValue) -> String? {
        var evaluated: Set<String> = []
        return problem(with: value, at: "", evaluated: &evaluated)
    }

    /// `evaluated` gets the properties that a keyword has examined.
    private func problem(with value: JSONValue, at place: String, evaluated: inout Set<String>) -> String? {
        for keyword in keywords {
            if let problem = problem(with: value, keyword, at: place, evaluated: &evaluated) { return problem }
        }
        return nil
    }

    private func problem(
        with value: JSONValue, _ keyword: Keyword, at place: String, evaluated: inout Set<String>
    ) -> String? {
        switch keyword {
        case .nothing: return "\(place): nothing is allowed here"
        case .types(let kinds):
            return kinds.contains { value.isA($0) } ? nil : "\(place): no \(kinds.map(\.rawValue).joined(separator: " or "))"
        case .constant(let constant): return value == constant ? nil : "\(place): not \(constant.description)"
        case .values(let values): return values.contains(value) ? nil : "\(place): \(value.description) is not in the list"
        case .pattern(let pattern):
            guard let text = value.text else { return nil }
            let isFound = pattern.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
            return isFound ? nil : "\(place): \"\(text)\" does not match \(pattern.pattern)"
        case .longest(let length):
            return (value.text?.unicodeScalars.count ?? 0) <= length ? nil : "\(place): longer than \(length)"
        case .minimum(let limit): return value.number.map { $0 >= limit } ?? true ? nil : "\(place): less than \(limit)"
        case .exclusiveMinimum(let limit): return value.number.map { $0 > limit } ?? true ? nil : "\(place): not over \(limit)"
        case .maximum(let limit): return value.number.map { $0 <= limit } ?? true ? nil : "\(place): more than \(limit)"
        case .exclusiveMaximum(let limit): return value.number.map { $0 < limit } ?? true ? nil : "\(place): not under \(limit)"
        case .count(let range):
            guard case .array(let elements) = value else { return nil }
            return range.contains(elements.count) ? nil : "\(place): \(elements.count) elements"
        case .items(let schema):
            for (index, element) in value.elements.enumerated() {
                var inner: Set<String> = []
                if let problem = schema.problem(with: element, at: "\(place)/\(index)", evaluated: &inner) { return problem }
            }
            return nil
        case .required(let names):
            guard case .object(let members) = value else { return nil }
            return names.first { members[$0] == nil }.map { "\(place)/\($0): missing" }
        case .properties(let schemas):
            for (name, member) in value.members {
                guard let schema = schemas[name] else { continue }
                if let problem = member.problem(name, schema, at: place, evaluated: &evaluated) { return problem }
            }
            return nil
        case .additionalProperties(let schema):
            // The contract uses it only where no property is named.
            for (name, member) in value.members {
                if let problem = member.problem(name, schema, at: place, evaluated: &evaluated) { return problem }
            }
            return nil
        case .propertyNames(let schema):
            return value.members.keys.lazy.compactMap { schema.problem(with: .string($0)) }.first.map { "\(place): \($0)" }
        case .all(let schemas):
            for schema in schemas {
                if let problem = schema.problem(with: value, at: place, evaluated: &evaluated) { return problem }
            }
            return nil
        case .not(let schema):
            return schema.problem(with: value) == nil ? "\(place): what is not allowed" : nil
        case .condition(let condition, let consequence):
            var inner = evaluated
            guard condition.problem(with: value, at: place, evaluated: &inner) == nil else { return nil }
            evaluated = inner
            return consequence.problem(with: value, at: place, evaluated: &evaluated)
        case .any(let schemas), .one(let schemas):
            return problem(with: value, anyOf: schemas, keyword, at: place, evaluated: &evaluated)
        case .noOtherProperties:
            return value.members.keys.sorted().first { !evaluated.contains($0) }.map { "\(place)/\($0): not declared" }
        }
    }

    private func problem(
        with value: JSONValue, anyOf schemas: [JSONSchema], _ keyword: Keyword, at place: String, evaluated: inout Set<String>
    ) -> String? {
        var problems: [String] = []
        for schema in schemas {
            var inner: Set<String> = []
            if let problem = schema.problem(with: value, at: place, evaluated: &inner) {
                problems.append(problem)
            } else {
                evaluated.formUnion(inner)
            }
        }
        let valid = schemas.count - problems.count
        if case .one = keyword { return valid == 1 ? nil : "\(place): \(valid) of \(schemas.count) alternatives are valid" }
        return valid > 0 ? nil : problems.joined(separator: "; ")
    }
}

extension JSONValue {
    fileprivate func isA(_ kind: JSONSchema.Kind) -> Bool {
        switch (self, kind) {
        case (.object, .object), (.array, .array), (.string, .string), (.number, .number), (.flag, .boolean), (.null, .null): true
        case (.number(let number), .integer): number == number.rounded()
        default: false
        }
    }

    /// The problem of this value as the property `name` of an object at `place`.
    fileprivate func problem(
        _ name: String, _ schema: JSONSchema, at place: String, evaluated: inout Set<String>
    ) -> String? {
        evaluated.insert(name)
        return schema.problem(with: self).map { "\(place)/\(name)\($0)" }
    }
}
