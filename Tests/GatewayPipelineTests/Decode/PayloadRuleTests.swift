import GatewayPipeline
import TelemetryModel
import Testing

@Suite("Rules of the payload")
struct PayloadRuleTests {
    private func rejection(_ payload: [UInt8], _ contentType: String? = nil, _ limits: DecodeLimits = .init()) -> Rejection? {
        #expect(throws: Rejection.self) {
            try Decoding.decode(.workout, payload, contentType: contentType, limits: limits)
        }
    }

    @Test(arguments: [
        nil, "", "application/json", "application/json; charset=utf-8", "Application/JSON;charset=\"UTF-8\"",
        "application/json ; version=1",
    ])
    func `JSON is known by its content type, or without one by its first byte`(contentType: String?) throws {
        _ = try Decoding.decode(.workout, SampleFrames.workout.payload, contentType: contentType)
    }

    @Test(arguments: ["text/plain", "application/json; charset=utf-16", "application/jsonx", ";", "application/cbor"])
    func `Any other content type is refused`(contentType: String) {
        #expect(rejection(SampleFrames.workout.payload, contentType)?.reason == .unsupportedContentType)
    }

    @Test func `Space before the frame needs a content type`() throws {
        let payload = [0x20, 0x0A] + SampleFrames.workout.payload
        #expect(rejection(payload)?.reason == .unsupportedContentType)
        _ = try Decoding.decode(.workout, payload, contentType: "application/json")
    }

    @Test func `Two megabytes of array are refused before they are read`() {
        let payload = Array("{\"a\":[".utf8) + Array(repeatElement("1,", count: 1_000_000).joined().utf8) + Array("1]}".utf8)
        #expect(rejection(payload)?.reason == .payloadTooLarge)
        #expect(rejection(payload, nil, DecodeLimits(maximumPayloadBytes: .max))?.reason == .unknownSchema)
    }

    @Test func `No limit admits more than 16 MiB`() {
        let payload = [UInt8](repeating: UInt8(ascii: "{"), count: 1 << 24)
        #expect(rejection(payload, nil, DecodeLimits(maximumPayloadBytes: .max))?.reason == .payloadTooLarge)
    }

    @Test(arguments: ["[]", "5", "\"{}\"", "null", "[{}]"])
    func `A frame is an object`(text: String) {
        let rejection = rejection(Array(text.utf8), "application/json")
        #expect(rejection?.reason == .wrongType)
        #expect(rejection?.pointer == "")
    }

    @Test func `What a device wrote is shortened and escaped before it is quoted`() {
        let hostile = "\\n\\u001b[31m\\u202e" + String(repeating: "x", count: 5000) + "\\\"}"
        for pointer in ["/schema", "/boot", "/state"] {
            let detail = Decoding.rejection(.workout, SampleFrames.workout.with(pointer, "\"\(hostile)\""))?.detail ?? ""
            #expect(detail.utf8.count < 200)
            #expect(detail.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "\u{202e}" })
            #expect(detail.contains("\\u{1b}[31m"))
        }
    }
}
