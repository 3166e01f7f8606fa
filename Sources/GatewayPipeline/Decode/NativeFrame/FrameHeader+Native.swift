internal import TelemetryModel

extension FrameHeader {
    static let schema = "wearables/1"

    /// Reads the header of a frame on `stream`; throws the first fault in the order schema, boot, seq, uptime, sent.
    init(_ frame: some FrameValue, stream: StreamName) throws(Rejection) {
        try Self.checkSchema(of: frame)
        let boot = try Self.boot(of: frame)
        let sequence = try Self.sequence(of: frame, isRequired: stream != .command)
        let uptimeNode = try frame.required("uptime")
        let uptime = try uptimeNode.number()
        guard uptime >= 0, uptime < FrameClock.end else {
            throw uptimeNode.rejection(.timeOutOfRange, "\(uptime) s is no reading of an uptime clock")
        }
        let sent = try frame.optional("sent").map { node throws(Rejection) in try node.unixTime() }
        self.init(boot: boot, sequence: sequence, uptime: DeviceTime(uptime + 0), sent: sent)
    }

    /// Reads the header of a last will, which is written before the connection and so has no clock.
    init(lastWill frame: some FrameValue) throws(Rejection) {
        try Self.checkSchema(of: frame)
        self.init(boot: try Self.boot(of: frame), sequence: nil, uptime: DeviceTime(0), sent: nil)
    }

    /// Reads the boot alone.
    static func boot(of frame: some FrameValue) throws(Rejection) -> BootID {
        let node = try frame.required("boot")
        let text = try node.string()
        guard let boot = BootID(text) else {
            throw node.rejection(.invalidValue, "\(text.quoted) is not 1 to 64 of A-Z, a-z, 0-9, _ and -")
        }
        return boot
    }

    private static func checkSchema(of frame: some FrameValue) throws(Rejection) {
        guard let node = try frame.member("schema") else {
            throw frame.rejection(.unknownSchema, key: "schema", "the field is missing, expected \(schema.quoted)")
        }
        guard node.kind == .string, try node.string() == schema else {
            let found = node.kind == .string ? try node.string().quoted : node.kind.phrase
            throw node.rejection(.unknownSchema, "found \(found), expected \(schema.quoted)")
        }
    }

    /// Reads the `seq` alone; nil where there is none and none is required.
    static func sequence(of frame: some FrameValue, isRequired: Bool = false) throws(Rejection) -> UInt64? {
        guard let node = isRequired ? try frame.required("seq") : try frame.optional("seq") else { return nil }
        let value = try node.integer()
        guard value >= 0, value < 1 << 53 else {
            throw node.rejection(.invalidValue, "\(value) is not between 0 and 2^53 - 1")
        }
        return UInt64(value)
    }
}

/// What the readers of a body need of the frame around it.
struct FrameContext {
    /// The frame's clock.
    let clock: FrameClock
    /// The limits of decoding.
    let limits: DecodeLimits

    /// Throws `timeOutOfRange` at `node` unless the frame's clock admits `seconds`.
    func check(_ seconds: Double, at node: @autoclosure () -> some FrameValue) throws(Rejection) {
        guard clock.admits(DeviceTime(seconds)) else {
            throw node().rejection(
                .timeOutOfRange, "\(seconds) s is not between the device's start and its uptime, \(clock.uptime.seconds) s")
        }
    }

    /// The device time that `node` gives in seconds; throws `wrongType` or `timeOutOfRange`.
    func deviceTime(_ node: some FrameValue) throws(Rejection) -> DeviceTime {
        let seconds = try node.number()
        try check(seconds, at: node)
        return DeviceTime(seconds + 0)
    }
}

extension FrameValue {
    /// Throws `missingField` unless the frame has at least one of `keys`; a similar key of the frame is suggested.
    func requireAny(of keys: [String]) throws(Rejection) {
        for key in keys where try optional(key) != nil { return }
        for key in keys {
            if let question = misspelling(of: key) {
                throw rejection(.missingField, key: key, "the field is missing; \(question)")
            }
        }
        throw rejection(.missingField, "the frame has none of \(keys.joined(separator: ", "))")
    }

    /// The unix time in seconds, between 2001 and 2100; throws `wrongType` or `timeOutOfRange`.
    func unixTime() throws(Rejection) -> UnixTime {
        let seconds = try number()
        guard FrameClock.wallClock.contains(seconds) else {
            throw rejection(.timeOutOfRange, "\(seconds) is no unix time in seconds between 2001 and 2100")
        }
        return UnixTime(seconds)
    }
}

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
