import TelemetryModel

/// One table of `mappings`: the fields of a payload that supply the components of a stream.
struct Mapping: Sendable, Equatable {
    /// The layouts of payload that are read.
    enum Layout: String, CaseIterable, Sendable {
        /// An object with one sample.
        case flat
        /// An object with an array for each field, all equally long.
        case columns
        /// One number, and nothing else.
        case scalar
    }

    /// The device of the messages.
    enum Owner: Sendable, Equatable {
        /// The device that the level `{device}` of the topic names.
        case named
        /// One device.
        case fixed(DeviceID)
    }

    /// Its name, in scopes and messages.
    var name: Identifier
    /// The topics.
    var topic: TopicFilter
    /// The device of the messages.
    var owner: Owner
    /// The stream that the messages become.
    var stream: StreamName
    /// The payload's layout.
    var layout: Layout
    /// When the samples were measured; nil for the time of arrival.
    var time: MappedTime?
    /// The place of the boot id.
    var boot: JSONPointer?
    /// The place of the `seq`.
    var sequence: JSONPointer?
    /// Whether units and signs of acceleration and gravity are measured.
    var isMeasured: Bool
    /// The field of each component.
    var fields: [MappedComponent: MappedField]

    /// The scope of the `seq` of its messages.
    var scope: SequenceScope { SequenceScope(producer: "\(MappedJSONProducer.name)/\(name)") }

    /// The most samples that are read of one payload.
    func maximum(_ limits: DecodeLimits) -> Int {
        stream == .submersion || stream == .pedometer ? limits.maximumEntries : limits.maximumSamples
    }
}

extension Mapping {
    /// The sender of a message on `topic`.
    func sender(of topic: String) throws(Rejection) -> ProducerSender {
        switch owner {
        case .fixed(let device): return .device(device)
        case .named: return .device(try DeviceID(level: self.topic.values(in: topic)?["device"] ?? ""))
        }
    }

    /// Decodes a message.
    func decode(
        _ message: InboundMessage, parser: JSONParser, context: ProducerContext
    ) throws(Rejection) -> DecodedMessage {
        let payload = try read(message.payload, parser: parser, limits: context.limits)
        do throws(Rejection) {
            return try decode(message, payload, context: context)
        } catch {
            let error = depthDoubt(error, in: payload)
            guard case .document(let root) = payload else { throw error }
            throw error.of(boot: (try? boot(in: root)) ?? nil, sequence: (try? sequence(in: root)) ?? nil)
        }
    }

    /// Parses a payload. One that has no value where a depth was expected is `notFinite`: the sensor is in doubt, as with NaN.
    private func read(_ bytes: [UInt8], parser: JSONParser, limits: DecodeLimits) throws(Rejection) -> MappedPayload {
        if measuresDepth, NoValue.isNamed(bytes) {
            throw Rejection(.notFinite, "the payload is blank, or a word for no value, where a depth was expected")
        }
        guard !bytes.isEmpty else { throw Rejection(.emptyPayload, "the payload is empty") }
        do throws(Rejection) {
            return try MappedPayload(bytes, mapping: self, parser: parser, limits: limits)
        } catch {
            guard measuresDepth, error.reason == .malformedJSON, let offset = NoValue.offset(in: bytes) else { throw error }
            throw Rejection(.notFinite, at: error.pointer, "a word for no value, which is not JSON, at byte \(offset)")
        }
    }

    /// The error, or `notFinite` where the payload has no value in place of a depth: whatever else is wrong follows from that.
    private func depthDoubt(_ error: Rejection, in payload: MappedPayload) -> Rejection {
        guard measuresDepth, error.reason != .notFinite,
            let field = depths.lazy.compactMap({ fields[$0] }).first(where: payload.isBlank)
        else { return error }
        return Rejection(.notFinite, at: field.pointer, "there is no value where a depth was expected")
    }

    /// What a depth needs: its own field, or those of the pressures.
    private var depths: [MappedComponent] { fields[.depth] != nil ? [.depth] : [.pressure, .surfacePressure] }

    /// Whether its messages have a depth, or the pressure that one is computed from.
    private var measuresDepth: Bool { stream == .submersion && (fields[.depth] ?? fields[.pressure]) != nil }

    private func decode(
        _ message: InboundMessage, _ payload: MappedPayload, context: ProducerContext
    ) throws(Rejection) -> DecodedMessage {
        let times = try sampleTimes(payload, context: context)
        let header = try header(payload, last: times.compactMap(\.self).max(), context: context)
        var passedOver = PassedOver()
        let frame = try body(payload, times, passedOver: &passedOver)
        var decoded = DecodedMessage(
            message, received: context.received, scope: scope, header: header, content: .frames([frame]))
        decoded.passedOver = passedOver
        return decoded
    }

    /// The samples; a field beside the main one that cannot be read is left out, and counted in `passedOver`.
    private func body(
        _ payload: MappedPayload, _ times: [Double?], passedOver: inout PassedOver
    ) throws(Rejection) -> DecodedBody {
        switch stream {
        case .submersion: try submersion(payload, times, passedOver: &passedOver)
        case .altimeter: try altimeter(payload, times, passedOver: &passedOver)
        case .pedometer: try pedometer(payload, times, passedOver: &passedOver)
        default: try motion(payload, times, passedOver: &passedOver)
        }
    }

    /// Throws `timestampOrder` unless the times increase strictly.
    func checkOrder(_ times: [Double]) throws(Rejection) {
        for index in times.indices.dropFirst() where !(times[index] > times[index - 1]) {
            throw Rejection(
                .timestampOrder, at: time?.pointer.text ?? "",
                "sample \(index) is at \(times[index]) s, the one before it at \(times[index - 1]) s")
        }
    }

    private func sampleTimes(_ payload: MappedPayload, context: ProducerContext) throws(Rejection) -> [Double?] {
        guard let time, case .document(let root) = payload else { return [context.received.unix.seconds] }
        return try time.seconds(in: root, layout: layout, maximum: maximum(context.limits))
    }

    /// A unix time is used as device time with an offset of 0, so that all mappings of a device with unix times agree.
    private func header(
        _ payload: MappedPayload, last: Double?, context: ProducerContext
    ) throws(Rejection) -> FrameHeader {
        guard let last else {
            throw Rejection(.missingField, at: time?.pointer.text ?? "", "there is no time of any sample")
        }
        let isUptime = time?.clock == .uptime
        var header = FrameHeader(
            boot: isUptime ? Self.uptimeBoot : Self.unixBoot, sequence: nil, uptime: DeviceTime(last),
            sent: isUptime ? nil : UnixTime(last))
        if case .document(let root) = payload {
            header.boot = try boot(in: root) ?? header.boot
            header.sequence = try sequence(in: root)
        }
        return header
    }

    /// The boot that the payload names; nil where the mapping has no `boot`.
    private func boot(in root: JSONNode) throws(Rejection) -> BootID? {
        guard let boot else { return nil }
        return try boot.require(in: root).mappedBoot()
    }

    /// The `seq` that the payload names; nil where the mapping has no `seq`.
    private func sequence(in root: JSONNode) throws(Rejection) -> UInt64? {
        guard let sequence else { return nil }
        return try sequence.require(in: root).mappedSequence()
    }

    private static let unixBoot = fixedBoot("unix")
    private static let uptimeBoot = fixedBoot("uptime")

    private static func fixedBoot(_ name: String) -> BootID {
        guard let boot = BootID(name) else { preconditionFailure("\(name) is an identifier") }
        return boot
    }
}

extension JSONNode {
    /// The name of a boot: a text that is an identifier, or an integer.
    fileprivate func mappedBoot() throws(Rejection) -> BootID {
        let text = kind == .integer ? "\(try integer())" : try string()
        guard let boot = BootID(text) else {
            throw rejection(.invalidValue, "\(text.quoted) is not 1 to 64 of A-Z, a-z, 0-9, _ and -")
        }
        return boot
    }

    /// The `seq` of a message: an integer, or the text of one.
    fileprivate func mappedSequence() throws(Rejection) -> UInt64 {
        let value: Int? = kind == .string ? Int(uncheckedString.trimmingSpaces) : try integer()
        guard let value else { throw rejection(.wrongType, "expected an integer, found \(uncheckedString.quoted)") }
        guard value >= 0, value < 1 << 53 else { throw rejection(.invalidValue, "\(value) is not between 0 and 2^53 - 1") }
        return UInt64(value)
    }
}
