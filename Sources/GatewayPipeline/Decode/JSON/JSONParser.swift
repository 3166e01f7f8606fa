internal import CSimdJSON

/// A strict JSON parser that keeps its buffers, and the one document it read last.
///
/// Strict: UTF-8 without a byte order mark, one value, every number finite, no key twice in one object. Not to be shared
/// between threads; it never holds more than its largest document needed.
@safe final class JSONParser {
    private let parser: OpaquePointer
    private var document = 0

    /// A parser with empty buffers.
    init() {
        guard let parser = unsafe csimdjson_create() else { preconditionFailure("out of memory") }
        unsafe self.parser = unsafe parser
    }

    deinit {
        unsafe csimdjson_destroy(parser)
    }

    /// Parses one document and returns its root; every node of an earlier document is invalid afterwards.
    ///
    /// Throws `malformedJSON`, `notFinite`, `invalidUTF8` or `nestedTooDeep` with the byte, and where it is known the place;
    /// `duplicateKey` with the key's place; or `payloadTooLarge` from 16 MiB on.
    func parse(_ bytes: [UInt8], maximumNesting: Int) throws(Rejection) -> JSONNode {
        document += 1
        var node = csimdjson_node(index: 0)
        // Payloads from a broker come with room behind them, and need no copy.
        let isPadded = bytes.capacity - bytes.count >= Int(csimdjson_padding)
        let status = unsafe bytes.withUnsafeBytes { bytes in
            unsafe csimdjson_parse(parser, bytes.baseAddress, bytes.count, isPadded ? 1 : 0, max(0, maximumNesting), &node)
        }
        let root = JSONNode(parser: self, document: document, node: node)
        if status == csimdjson_success { return root }
        if status == csimdjson_duplicate_key { throw root.rejection(.duplicateKey, "the object names this key twice") }
        throw Self.rejection(status, of: bytes, maximumNesting: maximumNesting)
    }

    private static func rejection(_ status: csimdjson_status, of bytes: [UInt8], maximumNesting: Int) -> Rejection {
        if status == csimdjson_too_large { return Rejection(.payloadTooLarge, "longer than any document read here") }
        if status == csimdjson_out_of_memory { return Rejection(.payloadTooLarge, "no memory to read it") }
        if let offset = NonFiniteNumber.offset(in: bytes) {
            let fault = JSONFault.find(in: bytes, maximumNesting: deepestScan)
            return Rejection(
                .notFinite, at: fault?.offset == offset ? fault?.pointer ?? "" : "",
                "a number is NaN, an infinity, or too large, at byte \(offset)")
        }
        if status == csimdjson_nested_too_deep {
            let fault = JSONFault.find(in: bytes, maximumNesting: maximumNesting)
            let place = fault.map { " at byte \($0.offset)" } ?? ""
            return Rejection(.nestedTooDeep, at: fault?.pointer ?? "", "nested more than \(maximumNesting) deep\(place)")
        }
        if status == csimdjson_invalid_utf8 {
            let place = JSONFault.firstInvalidUTF8(in: bytes).map { " at byte \($0)" } ?? ""
            return Rejection(.invalidUTF8, "not valid UTF-8\(place)")
        }
        guard let fault = JSONFault.find(in: bytes, maximumNesting: deepestScan) else {
            return Rejection(.malformedJSON, "not one well-formed JSON value")
        }
        return Rejection(.malformedJSON, at: fault.pointer, fault.detail + " at byte \(fault.offset)")
    }

    /// How deep a fault is searched for.
    private static let deepestScan = 1024

    /// The C parser, for a node of `document`; traps when another one has been parsed since.
    func handle(for document: Int) -> OpaquePointer {
        precondition(document == self.document, "a JSON node outlived its document")
        return unsafe parser
    }
}

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

/// The kinds of JSON value; numbers are distinguished by how they are written.
enum JSONKind {
    case object, array, string, boolean, null
    /// A number without fraction and exponent, within 64 bits with sign.
    case integer
    /// A number without fraction and exponent, between 2^63 and 2^64 - 1.
    case hugeInteger
    /// A number with a fraction or an exponent.
    case fraction

    /// Whether it is a number of any kind.
    var isNumber: Bool { self == .integer || self == .hugeInteger || self == .fraction }

    /// The kind with its article, for a sentence.
    var phrase: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string: "a string"
        case .boolean: "a boolean"
        case .null: "null"
        case .integer, .hugeInteger: "an integer"
        case .fraction: "a number with a fraction or exponent"
        }
    }
}
