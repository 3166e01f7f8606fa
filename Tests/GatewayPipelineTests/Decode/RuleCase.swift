import GatewayPipeline
import TelemetryModel
import Testing

/// A valid frame edited in one place, and the rejection that must follow.
struct RuleCase: Sendable, CustomTestStringConvertible {
    var stream: StreamName
    var frame: JSONText
    var edit: String
    var text: String?
    var reason: RejectionReason
    var pointer: String

    var testDescription: String { "\(stream.rawValue) \(edit) = \(text?.prefix(60) ?? "absent")" }

    /// `pointer` is the expected pointer of the rejection, by default the edited place.
    init(
        _ stream: StreamName, _ frame: JSONText, _ edit: String, _ text: String?, _ reason: RejectionReason,
        at pointer: String? = nil
    ) {
        self.stream = stream
        self.frame = frame
        self.edit = edit
        self.text = text
        self.reason = reason
        self.pointer = pointer ?? edit
    }

    /// Decodes the edited frame and expects the rejection.
    func check(sourceLocation: SourceLocation = #_sourceLocation) {
        let rejection = Decoding.rejection(stream, frame.with(edit, text), sourceLocation: sourceLocation)
        #expect(rejection?.reason == reason, sourceLocation: sourceLocation)
        #expect(rejection?.pointer == pointer, sourceLocation: sourceLocation)
        #expect(rejection?.detail.isEmpty == false, sourceLocation: sourceLocation)
    }
}

/// Makes cases of one frame, whose places begin with `prefix`.
struct RuleMaker: Sendable {
    var stream: StreamName
    var frame: JSONText
    var prefix = ""

    func callAsFunction(_ edit: String, _ text: String?, _ reason: RejectionReason, at pointer: String? = nil) -> RuleCase {
        RuleCase(stream, frame, prefix + edit, text, reason, at: pointer.map { prefix + $0 })
    }
}

/// A frame was decoded into the body of another stream.
struct AnotherBody: Error {}

/// What a frame says, whatever its encoding.
struct DecodedFrame: Equatable {
    var header: FrameHeader
    var isLastWill = false
    var body: DecodedBody
    var quantization = Quantization()
}

/// Short ways to decode in a test.
enum Decoding {
    static func frame(_ stream: StreamName, _ frame: JSONText) throws -> DecodedFrame {
        try decode(stream, frame.payload)
    }

    static func model(_ stream: StreamName, _ frame: JSONText) throws -> FrameBody? {
        guard case .model(let body) = try decode(stream, frame.payload).body else { return nil }
        return body
    }

    static func submersion(_ frame: JSONText) throws -> DecodedSubmersion? {
        guard case .submersion(let body) = try decode(.submersion, frame.payload).body else { return nil }
        return body
    }

    static func pedometer(_ frame: JSONText) throws -> DecodedPedometer {
        guard case .pedometer(let body) = try decode(.pedometer, frame.payload).body else { throw AnotherBody() }
        return body
    }

    static func altimeter(_ frame: JSONText) throws -> AltimeterSamples {
        guard case .altimeter(let samples) = try model(.altimeter, frame) else { throw AnotherBody() }
        return samples
    }

    static func motion(_ frame: JSONText) throws -> MotionSamples {
        guard case .headphoneMotion(let samples) = try model(.headphoneMotion, frame) else { throw AnotherBody() }
        return samples
    }

    static func batch(_ frame: JSONText) throws -> BatchedIMU {
        guard case .batchedIMU(let batch) = try model(.batchedIMU, frame) else { throw AnotherBody() }
        return batch
    }

    static func status(_ frame: JSONText) throws -> DeviceStatus {
        guard case .status(let status) = try model(.status, frame) else { throw AnotherBody() }
        return status
    }

    static func workout(_ frame: JSONText) throws -> WorkoutChange {
        guard case .workout(let change) = try model(.workout, frame) else { throw AnotherBody() }
        return change
    }

    static func rejection(
        _ stream: StreamName, _ frame: JSONText, sourceLocation: SourceLocation = #_sourceLocation
    ) -> Rejection? {
        #expect(throws: Rejection.self, sourceLocation: sourceLocation) { try decode(stream, frame.payload) }
    }

    static func decode(
        _ stream: StreamName, _ payload: [UInt8], contentType: String? = nil, limits: DecodeLimits = DecodeLimits()
    ) throws(Rejection) -> DecodedFrame {
        let message = InboundMessage(
            topic: "wearables/d1/in/\(stream.rawValue)", payload: payload, contentType: contentType)
        let decoded = try NativeFrameDecoder().decode(message, stream: stream, limits: limits, received: .at(0))
        guard let body = decoded.body else { throw Rejection(.missingField, "it holds no frame") }
        var frame = DecodedFrame(header: decoded.header, body: body, quantization: decoded.quantization)
        if case .lastWill = decoded.content { frame.isLastWill = true }
        return frame
    }
}

extension GatewayTime {
    /// An instant at which both clocks show the same.
    static func at(_ unix: Double) -> GatewayTime { GatewayTime(unix: UnixTime(unix), monotonic: unix) }
}
