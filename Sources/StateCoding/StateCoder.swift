/// Encodes state as one compact document of bytes with a checksum, and decodes it.
///
/// A document names its fields: an optional property that was added later is nil in older documents, an unknown key is ignored,
/// and every other difference is an error.
package enum StateCoder {
    /// The document of `value`; throws when the value's own encoding throws, nests deeper than 64 or takes more than 4 GiB.
    package static func encode(_ value: some Encodable) throws(StateCodingError) -> [UInt8] {
        try StateEncoder().encode(value)
    }

    /// The value of a document; throws `.damaged` for bytes that are not as they were written, and the key path and reason
    /// when the document does not fit `type`.
    package static func decode<T: Decodable>(_ type: T.Type, from bytes: [UInt8]) throws(StateCodingError) -> T {
        do {
            let document = try Document(bytes)
            return try DecoderCore(document).decode(type, at: document.root)
        } catch {
            throw StateCodingError(error)
        }
    }
}

/// Writes many documents: memory and names are reused from one to the next.
package final class StateEncoder {
    private let core: EncoderCore

    /// An encoder without names yet. Each of `doubles` is a type of one `Double` that encodes itself as that number: its values are
    /// written without a call of its `encode(to:)`, which would take most of the time.
    package init(doubles: [any (BitwiseCopyable & Encodable).Type] = []) {
        core = EncoderCore(doubles: doubles.map { ObjectIdentifier($0) })
    }

    /// The document of `value`; throws as `StateCoder.encode` does.
    package func encode(_ value: some Encodable) throws(StateCodingError) -> [UInt8] {
        do { return try core.document(of: value) } catch { throw StateCodingError(error) }
    }
}
