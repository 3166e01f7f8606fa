import TelemetryModel

/// The envelope of the readings: the recording and the number of the message in it.
struct SensorLoggerEnvelope {
    private static let longestID = 128

    /// The recording.
    let session: BootID
    /// The message's place in the recording.
    let number: UInt64

    /// Reads the envelope of a whole message.
    init(_ node: JSONNode) throws(Rejection) {
        _ = try Self.deviceID(of: node)
        let text = try node.required("sessionId").line(maximumBytes: Self.longestID)
        session = BootID(text) ?? Self.hash(text)
        let counter = try node.required("messageId")
        let value = try counter.integer()
        guard value >= 0, value < 1 << 53 else {
            throw counter.rejection(.invalidValue, "\(value) is not between 0 and 2^53 - 1")
        }
        number = UInt64(value)
    }

    /// The root of a message, an object.
    static func parse(_ payload: [UInt8], parser: JSONParser, limits: DecodeLimits) throws(Rejection) -> JSONNode {
        guard !payload.isEmpty else { throw Rejection(.emptyPayload, "the payload is empty") }
        return try parser.parse(payload, maximumNesting: limits.maximumNesting)
    }

    /// The `deviceId` of a message. The app's test message and messages of other senders have none.
    static func deviceID(of node: JSONNode) throws(Rejection) -> String {
        guard let id = try node.member("deviceId") else {
            throw node.rejection(.missingField, key: "deviceId", "the field is missing: no message of a recording")
        }
        let text = try id.line(maximumBytes: longestID)
        guard !text.isEmpty else { throw id.rejection(.invalidValue, "the text is empty") }
        return text
    }

    /// The boot id for a session whose id is not an identifier.
    private static func hash(_ text: String) -> BootID {
        var hash = FNV1a64()
        hash.add(text)
        guard let boot = BootID("s\(String(hash.value, radix: 16))") else {
            preconditionFailure("hexadecimal digits are an identifier")
        }
        return boot
    }
}
