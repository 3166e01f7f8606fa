package import TelemetryModel

/// Reads frames of the wire contract, version 1, in JSON and in Protocol Buffers.
///
/// Both give a `FrameValue`, by which the rules of frames are written once. Keeps its buffers between frames, so each lane owns one;
/// nothing of a frame is kept after a call.
package struct NativeFrameDecoder {
    private let parser = JSONParser()
    private let document = ProtobufDocument()
    let splitter = JSONSplitter()

    /// A decoder with empty buffers.
    package init() {}

    /// Reads a message that came on `stream`.
    ///
    /// Its content type is MQTT 5's; without one a payload that starts with `{` is JSON, any other Protocol Buffers. Throws a `Rejection`
    /// with the reason and the place. An empty payload is rejected on every stream: the caller handles those that clear a retained
    /// message.
    package func decode(
        _ message: InboundMessage, stream: StreamName, limits: DecodeLimits, received: GatewayTime
    ) throws(Rejection) -> DecodedMessage {
        guard !message.payload.isEmpty else { throw Rejection(.emptyPayload, "the payload is empty") }
        try limits.checkSize(of: message)
        switch try PayloadFormat(of: message.payload, contentType: message.contentType) {
        case .json:
            let frame = try parser.parse(message.payload, maximumNesting: limits.maximumNesting)
            return try decode(frame, of: message, fault: nil, stream: stream, limits: limits, received: received)
        case .protobuf(let isStated):
            defer { document.clear() }
            let frame = try parse(message.payload, isStated: isStated, stream: stream, limits: limits)
            var decoded = try decode(
                frame, of: message, fault: document.fault, stream: stream, limits: limits, received: received)
            decoded.quantization = document.quantization
            return decoded
        }
    }

    private func decode(
        _ frame: some FrameValue, of message: InboundMessage, fault: Rejection?, stream: StreamName, limits: DecodeLimits,
        received: GatewayTime
    ) throws(Rejection) -> DecodedMessage {
        do throws(Rejection) {
            if let fault { throw fault }
            let (header, content) = try FrameHeader.content(of: frame, stream: stream, limits: limits)
            return DecodedMessage(
                message, received: received, scope: SequenceScope(stream), header: header, content: content)
        } catch {
            throw error.of(boot: try? FrameHeader.boot(of: frame), sequence: (try? FrameHeader.sequence(of: frame)) ?? nil)
        }
    }

    private func parse(
        _ payload: [UInt8], isStated: Bool, stream: StreamName, limits: DecodeLimits
    ) throws(Rejection) -> ProtobufNode {
        do throws(Rejection) {
            return try ProtobufParser.read(payload, stream: stream, limits: limits, into: document)
        } catch {
            guard error.reason == .malformedProtobuf, !isStated else { throw error }
            throw Rejection(
                .unsupportedContentType,
                "no content type, and the payload is neither a JSON object nor Protocol Buffers: \(error.detail)")
        }
    }
}

extension NativeFrameDecoder {
    /// The header of a frame whose body was rejected; nil where the header cannot be read.
    package func header(stream: StreamName, payload: [UInt8], contentType: String?, limits: DecodeLimits) -> FrameHeader? {
        guard !payload.isEmpty, payload.count <= limits.maximumPayloadBytes else { return nil }
        switch try? PayloadFormat(of: payload, contentType: contentType) {
        case .json:
            return (try? parser.parse(payload, maximumNesting: limits.maximumNesting)).flatMap {
                try? FrameHeader($0, stream: stream)
            }
        case .protobuf:
            defer { document.clear() }
            return (try? ProtobufParser.read(payload, stream: stream, limits: limits, into: document)).flatMap {
                try? FrameHeader($0, stream: stream)
            }
        case nil: return nil
        }
    }
}

extension FrameHeader {
    /// The header of a frame, and what stands behind it.
    fileprivate static func content(
        of frame: some FrameValue, stream: StreamName, limits: DecodeLimits
    ) throws(Rejection) -> (FrameHeader, DecodedMessage.Content) {
        if stream == .status, try isLastWill(frame) {
            return (try FrameHeader(lastWill: frame), .lastWill(.model(.status(try DeviceStatus(frame)))))
        }
        let header = try FrameHeader(frame, stream: stream)
        let context = FrameContext(clock: FrameClock(uptime: header.uptime), limits: limits)
        if stream == .pedometer, header.sent == nil {
            throw frame.rejection(.missingField, key: "sent", "without it a date has no device time")
        }
        return (header, .frames([try DecodedBody(frame, stream: stream, header: header, context: context)]))
    }

    private static func isLastWill(_ frame: some FrameValue) throws(Rejection) -> Bool {
        guard try frame.member("seq") == nil, try frame.member("uptime") == nil else { return false }
        guard let state = try frame.member("state"), state.kind == .string else { return false }
        return try state.string() == DeviceStatus.State.offline.rawValue
    }
}

extension DecodedBody {
    fileprivate init(
        _ frame: some FrameValue, stream: StreamName, header: FrameHeader, context: FrameContext
    ) throws(Rejection) {
        switch stream {
        case .headphoneMotion:
            self = .model(.headphoneMotion(try MotionSamples(try frame.required("samples"), in: context)))
        case .headphoneConnection:
            self = .model(.headphoneConnection(try HeadphoneConnectionEvent(frame, in: context)))
        case .deviceMotion:
            self = .model(.deviceMotion(try MotionSamples(try frame.required("samples"), in: context)))
        case .batchedIMU:
            self = .model(.batchedIMU(try BatchedIMU(frame, in: context)))
        case .submersion:
            self = .submersion(try DecodedSubmersion(frame, in: context))
        case .status:
            self = .model(.status(try DeviceStatus(frame)))
        case .workout:
            self = .model(.workout(try WorkoutChange(frame, in: context)))
        case .command:
            self = .model(.command(try Command(frame)))
        case .pedometer:
            self = .pedometer(try DecodedPedometer(frame, in: context))
        case .altimeter:
            self = .model(.altimeter(try AltimeterSamples(frame, in: context)))
        case .movementDisorder:
            self = .model(.movementDisorder(try MovementDisorderResults(frame, of: header, in: context)))
        case .recordedAccelerometer:
            self = .model(
                .recordedAcceleration(try RecordedAcceleration(try frame.required("samples"), of: header, in: context)))
        }
    }
}
