/// A payload in which fields are looked up.
enum MappedPayload {
    /// JSON.
    case document(JSONNode)
    /// One number; nil where the payload is a word or a blank in place of one.
    case scalar(Double?)

    /// Parses the bytes by the layout of the mapping.
    init(_ bytes: [UInt8], mapping: Mapping, parser: JSONParser, limits: DecodeLimits) throws(Rejection) {
        guard mapping.layout == .scalar else {
            self = .document(try parser.parse(bytes, maximumNesting: limits.maximumNesting))
            return
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Rejection(.invalidUTF8, "not valid UTF-8") }
        self = .scalar(NoValue.isNamed(bytes) ? nil : try MappedNumber.read(text, at: ""))
    }

    /// The values of a field, exactly `count`, nil where the payload has null; a constant is repeated.
    ///
    /// Throws `missingField`, `columnLength`, and the rejections of numbers.
    func column(_ field: MappedField, count: Int, layout: Mapping.Layout) throws(Rejection) -> [Double?] {
        switch (field.source, self) {
        case (.number(let number), _): return Array(repeating: number, count: count)
        case (.payload, .scalar(let number)): return try Self.checked([number], count: count, at: "")
        case (.pointer(let pointer), .document(let root)):
            let node = try pointer.require(in: root)
            guard layout == .columns, node.kind == .array else {
                return try Self.checked([try node.mappedNumber()], count: count, at: node.pointer)
            }
            guard node.uncheckedCount == count else {
                throw node.rejection(.columnLength, "\(node.uncheckedCount) values in a series of \(count) samples")
            }
            return try node.mappedNumbers(maximum: count)
        default: throw Rejection(.missingField, "the payload has no such field")
        }
    }

    /// The values of a field beside the main one, exactly `count`: nil also for each that cannot be read, which is counted.
    func optionalColumn(
        _ field: MappedField, count: Int, layout: Mapping.Layout, passedOver: inout PassedOver
    ) -> [Double?] {
        do throws(Rejection) {
            return try column(field, count: count, layout: layout)
        } catch {
            guard layout == .columns, let node = place(of: field), node.kind == .array, node.uncheckedCount == count else {
                passedOver.count(error)
                return Array(repeating: nil, count: count)
            }
            return node.elements.map { element in
                passedOver.reading { () throws(Rejection) -> Double? in try element.mappedNumber() }
            }
        }
    }

    /// The case that a field beside the main one names for each of `count` samples, by one word for all or one for each: nil
    /// where it is missing or blank, and where it names no case, which is counted.
    func optionalWords<Value>(
        _ field: MappedField, count: Int, in vocabulary: Vocabulary<Value>, passedOver: inout PassedOver
    ) -> [Value?] {
        let none: [Value?] = Array(repeating: nil, count: count)
        guard let node = place(of: field), !node.isBlank,
            let elements = passedOver.reading({ () throws(Rejection) -> [JSONNode]? in try node.oneOrEach(of: count) })
        else { return none }
        let values = elements.map { element in
            passedOver.reading { () throws(Rejection) -> Value? in
                if element.isBlank { return nil }
                return try element.value(in: vocabulary)
            }
        }
        return values.count == count ? values : Array(repeating: values[0], count: count)
    }

    /// What is in the place of a field; nil where there is nothing, or the field is no place in JSON.
    private func place(of field: MappedField) -> JSONNode? {
        guard case .pointer(let pointer) = field.source, case .document(let root) = self else { return nil }
        return (try? pointer.find(in: root)) ?? nil
    }

    private static func checked(
        _ values: [Double?], count: Int, at pointer: @autoclosure () -> String
    ) throws(Rejection) -> [Double?] {
        guard values.count == count else {
            throw Rejection(.columnLength, at: pointer(), "\(values.count) values in a series of \(count) samples")
        }
        return values
    }

    /// The cases that a field's words name: one, or one for each sample; nil where the field is missing or blank.
    func words<Value>(
        _ field: MappedField, count: Int, in vocabulary: Vocabulary<Value>
    ) throws(Rejection) -> [Value]? {
        switch (field.source, self) {
        case (.word(let word), _): return vocabulary.value(named: word).map { [$0] }
        case (.pointer(let pointer), .document(let root)):
            guard let node = try pointer.find(in: root), !node.isBlank else { return nil }
            return try node.oneOrEach(of: count).map { element throws(Rejection) in try element.value(in: vocabulary) }
        default: return nil
        }
    }

    /// Whether a field has a value: neither null nor a word or a blank in place of one.
    func has(_ field: MappedField) throws(Rejection) -> Bool {
        switch (field.source, self) {
        case (.payload, .scalar(let number)): return number != nil
        case (.pointer(let pointer), .document(let root)): return try pointer.find(in: root).map { !$0.isBlank } ?? false
        default: return true
        }
    }

    /// Whether null, a word or a blank is in place of a field, or of an object around it.
    func isBlank(_ field: MappedField) -> Bool {
        guard case .pointer(let pointer) = field.source, case .document(let root) = self else { return false }
        return pointer.isBlank(in: root)
    }
}

extension JSONNode {
    /// Whether it is null, or a text in place of a value.
    var isBlank: Bool { kind == .null || (kind == .string && NoValue.isNamed(uncheckedString)) }

    /// The elements of an array, of which there must be one for each of `count` samples, or the one value that is for all.
    fileprivate func oneOrEach(of count: Int) throws(Rejection) -> [JSONNode] {
        guard kind == .array else { return [self] }
        guard uncheckedCount == count else {
            throw rejection(.columnLength, "\(uncheckedCount) values in a series of \(count) samples")
        }
        return elements
    }

    /// The elements of an array; none of anything else.
    fileprivate var elements: [JSONNode] { (try? map { element throws(Rejection) in element }) ?? [] }
}

extension JSONPointer {
    /// Whether there is no value in the place, or already on the way to it; false where something is missing.
    func isBlank(in root: JSONNode) -> Bool {
        firstNode(in: root) { $0.isBlank } != nil
    }
}
