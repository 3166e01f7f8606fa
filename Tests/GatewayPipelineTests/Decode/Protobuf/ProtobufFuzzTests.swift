import GatewayTestSupport
import TelemetryModel
import Testing

@testable import GatewayPipeline

@Suite("Hostile payloads in Protocol Buffers")
struct ProtobufFuzzTests {
    private static let seeds: [(stream: StreamName, payload: [UInt8])] = (SampleFrames.all + SampleFrames.raw).flatMap {
        stream, text in
        [false, true].compactMap { isPacked in
            (try? ProtobufSample(text.payload, stream: stream, isPacked: isPacked)).map { (stream, $0.payload) }
        }
    }

    /// Reads a payload; what is thrown must be safe for a log.
    private func read(_ payload: [UInt8], _ stream: StreamName, _ decoder: NativeFrameDecoder) -> RejectionReason? {
        do throws(Rejection) {
            let message = InboundMessage(topic: "t", payload: payload, contentType: "application/protobuf")
            let frame = try decoder.decode(message, stream: stream, limits: DecodeLimits(), received: .at(0))
            #expect(frame.header.uptime.seconds.isFinite && frame.header.sent?.seconds.isFinite != false)
            return nil
        } catch {
            #expect(!error.detail.isEmpty && error.detail.utf8.count < 1000)
            #expect((error.detail + error.pointer).unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
            return error.reason
        }
    }

    @Test func `No truncation is read`() {
        let decoder = NativeFrameDecoder()
        for (stream, payload) in Self.seeds {
            for length in 0..<payload.count {
                #expect(read(Array(payload[..<length]), stream, decoder) != nil, "\(stream), \(length) bytes")
            }
        }
    }

    @Test(.slow) func `20,000 mutations are read or refused`() {
        var random = SeededGenerator(seed: 11)
        let decoder = NativeFrameDecoder()
        var reasons: [RejectionReason?: Int] = [:]
        let parts: [[UInt8]] = [
            [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], [0xFF, 0xFF, 0xFF, 0xFF, 0x07],
            [0x80, 0x80, 0x80, 0x80, 0x08],
            [0x7A, 0xFF, 0xFF, 0x7F], [0x3B, 0x3B, 0x3B], [0, 0, 0, 0, 0, 0, 0xF0, 0x7F], [0, 0, 0xC0, 0x7F], [0x0A], [0x12, 0],
        ]
        for _ in 0..<20_000 {
            let seed = Self.seeds.randomElement(using: &random) ?? Self.seeds[0]
            var payload = seed.payload
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0...payload.count, using: &random)
                switch Int.random(in: 0..<6, using: &random) {
                case 0 where place < payload.count: payload[place] = .random(in: 0...255, using: &random)
                case 1 where place < payload.count: payload[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
                case 2: payload.insert(contentsOf: parts.randomElement(using: &random) ?? [], at: place)
                case 3: payload.removeSubrange(place..<min(payload.count, place + Int.random(in: 0...8, using: &random)))
                case 4: payload += Self.seeds.randomElement(using: &random)?.payload ?? []
                default:
                    let from = Int.random(in: 0...place, using: &random)
                    payload.insert(contentsOf: Array(payload[from..<place].prefix(64)), at: place)
                }
            }
            reasons[read(payload, seed.stream, decoder), default: 0] += 1
        }
        let expected: [RejectionReason?] = [
            nil, .malformedProtobuf, .wrongType, .duplicateKey, .invalidUTF8, .notFinite, .missingField, .unknownSchema,
            .invalidValue,
            .columnLength, .timeOutOfRange, .timestampOrder, .unknownUnit,
        ]
        for reason in expected { #expect(reasons[reason, default: 0] > 0, "\(String(describing: reason)) never occurs") }
    }

    // MARK: Memory

    private func document(_ payload: [UInt8]) -> ProtobufDocument {
        let document = ProtobufDocument()
        _ = try? ProtobufParser.read(payload, stream: nil, limits: DecodeLimits(), into: document)
        return document
    }

    /// A frame of nearly the greatest size whose body repeats `part`.
    private func flood(_ body: Int, _ part: (inout Writer) -> Void) -> [UInt8] {
        var inner = Writer()
        while inner.bytes.count < DecodeLimits().maximumPayloadBytes - 64 { part(&inner) }
        var frame = Writer()
        frame.delimited(body, inner.bytes)
        return frame.bytes
    }

    @Test func `Lists and columns are kept up to their limits, whatever follows`() {
        let entries = document(flood(19) { $0.delimited(2, []) })
        #expect(entries.fault?.reason == .columnLength && entries.fault?.pointer == "/measurements")
        #expect(entries.entries.count <= 2 + DecodeLimits().maximumEntries)

        let capabilities = document(
            flood(20) { $0.delimited(5, [0x0A, 2, UInt8.random(in: 97...122), UInt8.random(in: 97...122)]) })
        #expect(capabilities.entries.count <= 3 + DecodeLimits().maximumEntries)

        let values = document(flood(18) { $0.delimited(1, [0x12, 4, 0, 0, 0, 0]) })
        #expect(values.fault?.reason == .duplicateKey)

        for part in [[UInt8](arrayLiteral: 0x15, 0, 0, 0, 0), [0x12, 4, 0, 0, 0, 0]] {
            var accelerometer = Writer()
            while accelerometer.bytes.count < 200_000 { accelerometer.bytes += part }
            var body = Writer()
            body.delimited(1, accelerometer.bytes)
            var frame = Writer()
            frame.delimited(18, body.bytes)
            let column = document(frame.bytes)
            #expect(column.fault?.reason == .columnLength && column.fault?.pointer == "/accelerometer/x")
            #expect(column.column("x", of: column.member("accelerometer", of: 0) ?? 0)?.count == DecodeLimits().maximumSamples)
        }
    }

    @Test func `A column that is too long is not read`() {
        var frame = Writer()
        var body = Writer()
        var accelerometer = Writer()
        accelerometer.delimited(2, Array(repeating: 0, count: 4 * (DecodeLimits().maximumSamples + 1)))
        body.delimited(1, accelerometer.bytes)
        frame.delimited(18, body.bytes)
        let document = document(frame.bytes)
        #expect(document.fault?.reason == .columnLength)
        #expect(document.member("x", of: document.member("accelerometer", of: 0) ?? 0) == nil)
    }
}
