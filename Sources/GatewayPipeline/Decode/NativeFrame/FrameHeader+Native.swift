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
