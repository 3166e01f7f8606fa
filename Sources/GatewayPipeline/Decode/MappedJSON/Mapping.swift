import TelemetryModel

/// One table of `mappings`: which fields of whose payloads stand for which components of a stream.
struct Mapping: Sendable, Equatable {
    /// The shapes of payload that are read.
    enum Layout: String, CaseIterable, Sendable {
        /// An object with one sample.
        case flat
        /// An object with an array for each field, all equally long.
        case columns
        /// One number, and nothing else.
        case scalar
    }

    /// Whose messages they are.
    enum Owner: Sendable, Equatable {
        /// The device that the level `{device}` of the topic names.
        case named
        /// One device.
        case fixed(DeviceID)
    }

    /// Its name, in carriers and messages.
    var name: Identifier
    /// The topics.
    var topic: TopicFilter
    /// Whose messages they are.
    var owner: Owner
    /// The stream that comes of them.
    var stream: StreamName
    /// The payload's shape.
    var layout: Layout
    /// When the samples were measured; nil for their arrival.
    var time: MappedTime?
    /// Where a run of the device's clock has its name.
    var boot: JSONPointer?
    /// Where the messages are counted.
    var sequence: JSONPointer?
    /// Whether units and signs of acceleration and gravity are measured.
    var isMeasured: Bool
    /// What stands for what.
    var fields: [MappedComponent: MappedField]

    /// The most samples that are read of one payload.
    func maximum(_ limits: DecodeLimits) -> Int {
        stream == .submersion ? limits.maximumEntries : limits.maximumSamples
    }
}

extension Mapping {
    /// Who sent a message on `topic`.
    func sender(of topic: String) throws(Rejection) -> ProducerSender {
        switch owner {
        case .fixed(let device): return .device(device)
        case .named: return .device(try DeviceID(level: self.topic.values(in: topic)?["device"] ?? ""))
        }
    }

    /// Reads a message.
    func decode(
        _ message: InboundMessage, parser: JSONParser, context: ProducerContext
    ) throws(Rejection) -> DecodedMessage {
        guard !message.payload.isEmpty else { throw Rejection(.emptyPayload, "the payload is empty") }
        let payload = try MappedPayload(message.payload, mapping: self, parser: parser, limits: context.limits)
        do throws(Rejection) {
            return try decode(payload, context: context)
        } catch {
            guard case .document(let root) = payload else { throw error }
            throw error.of(boot: (try? boot(in: root)) ?? nil, sequence: (try? sequence(in: root)) ?? nil)
        }
    }

    private func decode(_ payload: MappedPayload, context: ProducerContext) throws(Rejection) -> DecodedMessage {
        let times = try sampleTimes(payload, context: context)
        let header = try header(payload, last: times.compactMap(\.self).max(), context: context)
        let body = try stream == .submersion ? submersion(payload, times) : motion(payload, times)
        return DecodedMessage(
            scope: SequenceScope(producer: "\(MappedJSONProducer.name)/\(name)"), header: header,
            content: .frames([DecodedFrame(header: header, body: body)]))
    }

    private func sampleTimes(_ payload: MappedPayload, context: ProducerContext) throws(Rejection) -> [Double?] {
        guard let time, case .document(let root) = payload else { return [context.received.unix.seconds] }
        return try time.seconds(in: root, layout: layout, maximum: maximum(context.limits))
    }

    /// A unix clock is device time too, and then runs without an offset; so all unix clocks of a device agree.
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

    /// The boot that the payload names; nil where the mapping does not say where.
    private func boot(in root: JSONNode) throws(Rejection) -> BootID? {
        guard let boot else { return nil }
        return try boot.require(in: root).mappedBoot()
    }

    /// The place that the payload names; nil where the mapping does not say where.
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

    /// The place of a message: an integer, or the text of one.
    fileprivate func mappedSequence() throws(Rejection) -> UInt64 {
        let value: Int? = kind == .string ? Int(uncheckedString.trimmingSpaces) : try integer()
        guard let value else { throw rejection(.wrongType, "expected an integer, found \(uncheckedString.quoted)") }
        guard value >= 0, value < 1 << 53 else { throw rejection(.invalidValue, "\(value) is not between 0 and 2^53 - 1") }
        return UInt64(value)
    }
}
