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

/// Why state could not be written or read, and where.
package struct StateCodingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What went wrong.
    package enum Reason: Sendable, Equatable {
        /// The bytes are not as they were written: cut short, or changed.
        case damaged
        /// The bytes are intact, but of another kind or version of document.
        case unknownFormat
        /// The document has nothing under the last key of the path.
        case missing
        /// The document has a value of another type, as described.
        case mismatched(String)
        /// The type rejects the value, or the coder its structure, as described.
        case invalid(String)
    }

    /// What went wrong.
    package let reason: Reason
    /// The keys from the root to the place, elements as `[index]`; empty for the document as a whole.
    package let path: [String]

    init(_ reason: Reason, path: [String] = []) {
        self.reason = reason
        self.path = path
    }

    /// One line for a log: the place, then the reason.
    package var description: String {
        let reason =
            switch reason {
            case .damaged: "damaged: the checksum does not match"
            case .unknownFormat: "unknown format"
            case .missing: "missing"
            case .mismatched(let text), .invalid(let text): text
            }
        return path.isEmpty ? reason : "\(path.joined(separator: ".")): \(reason)"
    }
}

extension StateCodingError {
    /// The failure as an error of this module; an error of this module is kept unchanged.
    init(_ error: any Error) {
        switch error {
        case let error as StateCodingError: self = error
        case let error as DecodingError: self.init(error)
        case EncodingError.invalidValue(_, let context):
            self.init(.invalid(context.debugDescription), path: Self.path(context.codingPath))
        default: self.init(.invalid(String(describing: error)))
        }
    }

    private init(_ error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context):
            self.init(.missing, path: Self.path(context.codingPath + [key]))
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            self.init(.mismatched(context.debugDescription), path: Self.path(context.codingPath))
        case .dataCorrupted(let context):
            self.init(.invalid(context.debugDescription), path: Self.path(context.codingPath))
        @unknown default: self.init(.invalid(String(describing: error)))
        }
    }

    private static func path(_ keys: [any CodingKey]) -> [String] {
        keys.map { key in
            guard let index = key.intValue, key.stringValue == "Index \(index)" else { return key.stringValue }
            return "[\(index)]"
        }
    }
}
