/// The encodings of a frame that are read.
enum PayloadFormat {
    case json
    /// Protocol Buffers; `isStated` is false where neither a content type nor the first byte says so.
    case protobuf(isStated: Bool)

    /// The first byte of most frames in Protocol Buffers: the field `schema`.
    private static let firstTag: UInt8 = 0x0A

    /// The format of a payload that is not empty: by its content type, or without one by its first byte.
    ///
    /// Throws `invalidUTF8` for a byte order mark, else `unsupportedContentType`.
    init(of payload: [UInt8], contentType: String?) throws(Rejection) {
        guard !Self.startsWithByteOrderMark(payload) else {
            throw Rejection(.invalidUTF8, "the payload starts with a byte order mark")
        }
        guard let contentType, !contentType.isEmpty else {
            self = payload.first == UInt8(ascii: "{") ? .json : .protobuf(isStated: payload.first == Self.firstTag)
            return
        }
        if let format = Self.named(contentType) {
            self = format
            return
        }
        let parts = contentType.lowercased().split(separator: ";").map { $0.filter { !$0.isWhitespace } }
        switch parts.first.flatMap(Self.named) {
        case .json?:
            guard parts.dropFirst().allSatisfy(Self.isHarmless) else {
                throw Rejection(.unsupportedContentType, "JSON is read in UTF-8 alone, not as \(contentType.quoted)")
            }
            self = .json
        case let format?: self = format
        case nil:
            throw Rejection(
                .unsupportedContentType,
                "the content type is \(contentType.quoted), neither application/json nor application/protobuf")
        }
    }

    /// The format with that media type, in lower case and without parameters.
    private static func named(_ type: String) -> Self? {
        switch type {
        case "application/json": .json
        case "application/protobuf", "application/x-protobuf", "application/vnd.google.protobuf": .protobuf(isStated: true)
        default: nil
        }
    }

    private static func isHarmless(_ parameter: String) -> Bool {
        !parameter.hasPrefix("charset=") || parameter == "charset=utf-8" || parameter == "charset=\"utf-8\""
    }

    private static func startsWithByteOrderMark(_ payload: [UInt8]) -> Bool {
        payload.starts(with: [0xEF, 0xBB, 0xBF]) || payload.starts(with: [0xFE, 0xFF])
            || payload.starts(with: [0xFF, 0xFE])
    }
}
