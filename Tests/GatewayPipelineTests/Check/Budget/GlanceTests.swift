import GatewayRuntime
import GatewayTestSupport
import ProtobufFrames
import TelemetryModel
import Testing

@testable import GatewayPipeline

@Suite("Headers of frames that are not read")
struct GlanceTests {
    private let decoder = NativeFrameDecoder()

    private func glance(_ payload: [UInt8], _ contentType: String? = nil) -> FrameHeader? {
        decoder.glance(at: payload, contentType: contentType, limits: DecodeLimits())
    }

    @Test("are those of the whole frame, wherever they stand, in both encodings")
    func equal() throws {
        var device = TestDevice()
        for frame in [device.accelerometer(start: 100), device.stillHead(uptime: 101.25), device.depth(3, uptime: 102)] {
            let stream = try #require(StreamName(rawValue: String(frame.message.topic.split(separator: "/")[3])))
            let payload = frame.message.payload
            let whole = decoder.header(stream: stream, payload: payload, contentType: nil, limits: DecodeLimits())
            #expect(whole != nil)
            #expect(glance(payload) == whole)
            #expect(glance([UInt8](" \n".utf8) + payload, "application/json") == whole)
            let encoded = try ProtobufFrameEncoder(.floats).encode(json: payload, stream: stream)
            #expect(glance(encoded, ProtobufFrameEncoder.contentType) == whole)
            #expect(glance(encoded) == whole)
        }
        let last =
            #"{ "samples": {"x": [1, 2]}, "sent": null, "uptime": 5, "boot": "b\u0031", "seq": 3, "schema": "wearables/1" }"#
        let header = glance(Array(last.utf8))
        #expect(header?.boot.rawValue == "b1" && header?.sequence == 3 && header?.uptime.seconds == 5 && header?.sent == nil)
    }

    @Test(
        "are not there where a field is missing or wrong: the frame is read to say so",
        arguments: [
            "", "{", "{}", "[]", "nothing", #"{"schema":"wearables/2","boot":"b","seq":0,"uptime":1}"#,
            #"{"schema":"wearables/1","seq":0,"uptime":1}"#, #"{"schema":"wearables/1","boot":"b","uptime":1}"#,
            #"{"schema":"wearables/1","boot":"b","seq":0}"#, #"{"schema":"wearables/1","boot":"a b","seq":0,"uptime":1}"#,
            #"{"schema":"wearables/1","boot":"b","seq":-1,"uptime":1}"#,
            #"{"schema":"wearables/1","boot":"b","seq":0.5,"uptime":1}"#,
            #"{"schema":"wearables/1","boot":"b","seq":0,"uptime":nan}"#,
            #"{"schema":"wearables/1","boot":"b","seq":0,"uptime":1e999}"#,
            #"{"schema":"wearables/1","boot":"b","seq":99999999999999999999,"uptime":1}"#,
            #"{"schema":"wearables/1","boot":"b","seq":0,"uptime":"1"}"#,
            #"{"schema":"wearables/1","boot":"b","seq":0,"uptime":-1}"#,
        ])
    func missing(text: String) {
        #expect(glance(Array(text.utf8)) == nil)
        #expect(glance(Array(text.utf8), "application/protobuf") == nil)
    }

    @Test("of any bytes trap nowhere", arguments: 0..<200)
    func anything(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var device = TestDevice()
        var payload = device.depth(3, uptime: 100).message.payload
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            let index = payload.indices.randomElement(using: &generator) ?? 0
            payload[index] = UInt8.random(in: 0...255, using: &generator)
        }
        payload.removeLast(Int.random(in: 0..<payload.count, using: &generator))
        for contentType in [nil, "application/json", "application/protobuf"] { _ = glance(payload, contentType) }
    }
}
