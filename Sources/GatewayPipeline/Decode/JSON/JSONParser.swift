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

    /// Reads one document and gives its root; every node of an earlier one is void from here on.
    ///
    /// Throws `malformedJSON`, `invalidUTF8`, `nestedTooDeep`, `duplicateKey` with the key's place, or `payloadTooLarge`
    /// from 16 MiB on.
    func parse(_ bytes: [UInt8], maximumNesting: Int) throws(Rejection) -> JSONNode {
        document += 1
        var node = csimdjson_node(index: 0)
        let status = unsafe bytes.withUnsafeBytes { bytes in
            unsafe csimdjson_parse(parser, bytes.baseAddress, bytes.count, max(0, maximumNesting), &node)
        }
        let root = JSONNode(parser: self, document: document, node: node)
        if status != csimdjson_success, NonFiniteNumber.isIn(bytes) {
            throw Rejection(.notFinite, "a number is NaN, an infinity, or too large")
        }
        switch status {
        case csimdjson_success: return root
        case csimdjson_too_large: throw Rejection(.payloadTooLarge, "longer than any document read here")
        case csimdjson_out_of_memory: throw Rejection(.payloadTooLarge, "no memory to read it")
        case csimdjson_nested_too_deep: throw Rejection(.nestedTooDeep, "nested more than \(maximumNesting) deep")
        case csimdjson_invalid_utf8: throw Rejection(.invalidUTF8, "not valid UTF-8")
        case csimdjson_duplicate_key: throw root.rejection(.duplicateKey, "the object names this key twice")
        case csimdjson_malformed_string:
            throw Rejection(.malformedJSON, "a string is not closed, or holds a bad escape or a bare control character")
        case csimdjson_malformed_number:
            throw Rejection(.malformedJSON, "a number is not written as JSON has it, or is too large")
        default: throw Rejection(.malformedJSON, "not one well-formed JSON value")
        }
    }

    /// The C parser, for a node of `document`; traps when another one has been parsed since.
    func handle(for document: Int) -> OpaquePointer {
        precondition(document == self.document, "a JSON node outlived its document")
        return unsafe parser
    }
}
