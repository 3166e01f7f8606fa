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
