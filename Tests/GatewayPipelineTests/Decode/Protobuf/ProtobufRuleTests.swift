import TelemetryModel
import Testing

@testable import GatewayPipeline

/// The rules of frames hold in Protocol Buffers as in JSON: same reasons, same places.
@Suite("Rules of frames in Protocol Buffers")
struct ProtobufRuleTests {
    private static let cases =
        HeaderRuleTests.cases + StatusAndEventRuleTests.cases + SeriesRuleTests.cases + SubmersionDecodingTests.cases
        + PedometerDecodingTests.cases + AltimeterDecodingTests.cases + RawMotionRuleTests.cases

    private func rejection(_ payload: [UInt8], _ stream: StreamName) -> Rejection? {
        #expect(throws: Rejection.self) { try Decoding.decode(stream, payload, contentType: "application/protobuf") }
    }

    @Test func `A frame that breaks a rule is refused for the reason and at the place of JSON`() {
        var expressed = 0
        var reasons: Set<RejectionReason> = []
        for rule in Self.cases {
            guard let sample = try? ProtobufSample(rule.frame.with(rule.edit, rule.text).payload, stream: rule.stream) else {
                continue
            }
            expressed += 1
            let rejection = rejection(sample.payload, rule.stream)
            #expect(rejection?.reason == rule.reason, "\(rule.testDescription): \(String(describing: rejection))")
            #expect(rejection?.pointer == rule.pointer, "\(rule.testDescription): \(String(describing: rejection))")
            if let reason = rejection?.reason { reasons.insert(reason) }
        }
        #expect(expressed >= 150, "of \(Self.cases.count)")
        #expect(
            reasons == [
                .unknownSchema, .missingField, .wrongType, .invalidValue, .unknownUnit, .columnLength, .timestampOrder,
                .timeOutOfRange, .notFinite, .conflictingFields,
            ])
    }

    @Test func `Recorded acceleration and movement disorder too`() throws {
        for (samples, reason, pointer) in RecordedAccelerationDecodingTests.faults {
            let json = #"{"schema":"wearables/1","boot":"b","seq":0,"uptime":100,"sent":1763749000,"samples":\#(samples)}"#
            guard let sample = try? ProtobufSample(Array(json.utf8), stream: .recordedAccelerometer) else { continue }
            let rejection = rejection(sample.payload, .recordedAccelerometer)
            #expect(rejection?.reason == reason && rejection?.pointer == pointer, "\(samples): \(String(describing: rejection))")
        }
        for (body, reason, pointer) in MovementDisorderDecodingTests.faults where reason != .missingField || !pointer.isEmpty {
            let json = #"{"schema":"wearables/1","boot":"b","seq":0,"uptime":100,"sent":1763749000,\#(body)}"#
            guard let sample = try? ProtobufSample(Array(json.utf8), stream: .movementDisorder) else { continue }
            let rejection = rejection(sample.payload, .movementDisorder)
            #expect(rejection?.reason == reason && rejection?.pointer == pointer, "\(body): \(String(describing: rejection))")
        }
    }

    @Test func `A good frame is read as its JSON is, and shown as JSON that is read alike`() throws {
        for (stream, text) in SampleFrames.all + SampleFrames.raw {
            let expected = try Decoding.decode(stream, text.payload)
            for isPacked in [false, true] {
                let payload = try ProtobufSample(text.payload, stream: stream, isPacked: isPacked).payload
                let frame = try Decoding.decode(stream, payload)
                if ![.batchedIMU, .recordedAccelerometer].contains(stream) { #expect(frame.body == expected.body, "\(stream)") }
                #expect(frame.header == expected.header && frame.isLastWill == expected.isLastWill)
                let json = try #require(ProtobufText.json(of: payload))
                // JSON has no scale.
                var shown = frame
                shown.quantization = Quantization()
                #expect(try Decoding.decode(stream, json) == shown, "\(stream)")
            }
        }
    }

    @Test func `A rejected frame has the boot and the seq of its header, wherever that stands`() throws {
        let good = ProtobufSample.payload(SampleFrames.workout, stream: .workout)
        var body = Writer()
        body.tag(1, .varint)
        body.varint(99)
        var frame = Writer()
        frame.delimited(21, body.bytes)
        let rejection = rejection(frame.bytes + good, .workout)
        #expect(rejection?.reason == .duplicateKey)
        #expect(rejection?.boot?.rawValue == "b7f3" && rejection?.sequence == 42)
        let header = NativeFrameDecoder().header(
            stream: .workout, payload: frame.bytes + good, contentType: nil, limits: DecodeLimits())
        #expect(header?.sequence == 42 && header?.uptime.seconds == 100.25)
    }
}
