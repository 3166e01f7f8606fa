internal import CSimdJSON

/// One value of a parsed document, valid until its parser reads the next one.
///
/// Two words and a reference. It does not store its place; `pointer` searches for it when an error needs it.
struct JSONNode: FrameValue {
    private let parser: JSONParser
    private let document: Int
    private let node: csimdjson_node

    /// The value at `node` of the parser's document number `document`.
    init(parser: JSONParser, document: Int, node: csimdjson_node) {
        self.parser = parser
        self.document = document
        self.node = node
    }

    private var handle: OpaquePointer { unsafe parser.handle(for: document) }

    private func sibling(_ node: csimdjson_node) -> Self { Self(parser: parser, document: document, node: node) }

    /// What kind of value it is.
    var kind: JSONKind {
        switch unsafe csimdjson_kind_of(handle, node) {
        case csimdjson_object: .object
        case csimdjson_array: .array
        case csimdjson_string: .string
        case csimdjson_signed: .integer
        case csimdjson_unsigned: .hugeInteger
        case csimdjson_double: .fraction
        case csimdjson_boolean: .boolean
        default: .null
        }
    }

    /// The members of an object or elements of an array.
    var uncheckedCount: Int { unsafe Int(csimdjson_count(handle, node)) }

    /// The text of a string.
    var uncheckedString: String { unsafe String(csimdjson_string_of(handle, node)) }

    /// The value of an integer that fits.
    var uncheckedInteger: Int { unsafe Int(csimdjson_signed_of(handle, node)) }

    /// The value of any number.
    var uncheckedNumber: Double { unsafe csimdjson_double_of(handle, node) }

    /// The value of a boolean.
    var uncheckedBoolean: Bool { unsafe csimdjson_boolean_of(handle, node) != 0 }

    /// The member of an object named `key`.
    func uncheckedMember(_ key: String) -> JSONNode? {
        var value = csimdjson_node(index: 0)
        let isThere = unsafe key.utf8.span.withUnsafeBufferPointer { key in
            guard let start = key.baseAddress else { return false }
            return unsafe csimdjson_find(handle, node, start, key.count, &value) != 0
        }
        return isThere ? sibling(value) : nil
    }

    /// The keys of an object, at most `maximum`, in its order.
    func uncheckedKeys(maximum: Int) -> [String] {
        var keys: [String] = []
        var key = uncheckedFirst
        for _ in 0..<min(maximum, uncheckedCount) {
            keys.append(key.uncheckedString)
            key = key.uncheckedNext.uncheckedNext
        }
        return keys
    }

    /// The first element of an array that has one.
    var uncheckedFirst: JSONNode { sibling(csimdjson_first(node)) }

    /// The element after this one in an array that has one.
    var uncheckedNext: JSONNode { unsafe sibling(csimdjson_after(handle, node)) }

    /// The leading numbers of an array, at most `count`; fewer when something else stands among them.
    func uncheckedNumbers(_ count: Int) -> [Double] {
        unsafe Array(unsafeUninitializedCapacity: count) { buffer, initialized in
            guard let start = buffer.baseAddress else { return }
            initialized = unsafe csimdjson_copy_doubles(handle, node, start, count)
        }
    }

    /// The JSON pointer to the value; keys are cut to 40 characters, steps to 64.
    var pointer: String {
        unsafe withUnsafeTemporaryAllocation(of: csimdjson_step.self, capacity: 64) { steps in
            guard let start = steps.baseAddress else { return "" }
            let count = unsafe csimdjson_path(handle, node, start, steps.count)
            return unsafe steps.prefix(count).map { step in
                unsafe step.is_key != 0 ? "/" + String(step.key).pointerToken : "/\(step.index)"
            }.joined()
        }
    }
}

extension String {
    fileprivate init(_ text: csimdjson_text) {
        unsafe self.init(decoding: UnsafeBufferPointer(start: text.bytes, count: text.length), as: UTF8.self)
    }
}
