@testable import GatewayPipeline
import TelemetryModel
import Testing

@Suite("Misspelled keys")
struct MisspellingTests {
    static let cases: [(StreamName, JSONText, field: String, found: String)] = [
        (.headphoneMotion, SampleFrames.headphoneMotion, "samples", "sample"),
        (.deviceMotion, SampleFrames.deviceMotion, "samples", "Samples"),
        (.headphoneConnection, SampleFrames.headphoneConnection, "event", "evnt"),
        (.batchedIMU, SampleFrames.batchedIMU.with("/deviceMotion", nil), "accelerometer", "acelerometer"),
        (.batchedIMU, SampleFrames.batchedIMU.with("/accelerometer", nil), "deviceMotion", "devicemotion"),
        (.submersion, only("measurements"), "measurements", "mesurements"), (.submersion, only("events"), "events", "Events"),
        (.submersion, only("temperatures"), "temperatures", "temperature"), (.submersion, only("errors"), "errors", "error"),
        (.submersion, only("maximumDepth"), "maximumDepth", "maxDepth"),
        (.status, SampleFrames.status, "state", "stat"), (.workout, SampleFrames.workout, "timestamp", "timeStamp"),
        (.command, SampleFrames.command, "command", "comand"), (.workout, SampleFrames.workout, "uptime", "upTime"),
    ]

    /// A submersion frame that holds nothing but `key`.
    private static func only(_ key: String) -> JSONText {
        ["measurements", "events", "temperatures", "errors", "maximumDepth"].filter { $0 != key }
            .reduce(SampleFrames.submersion) { $0.with("/\($1)", nil) }
    }

    @Test(arguments: cases)
    func `A frame without a field that it must have is refused with the key that looks like it`(
        stream: StreamName, frame: JSONText, field: String, found: String
    ) {
        let text = frame.text.replacing("\"\(field)\":", with: "\"\(found)\":", maxReplacements: 1)
        let rejection = Decoding.rejection(stream, .raw(text))
        #expect(rejection?.reason == .missingField)
        #expect(rejection?.pointer == "/\(field)")
        #expect(rejection?.detail == "the field is missing; found \"\(found)\", did you mean \"\(field)\"?")
    }

    @Test func `A key within the body is looked for where it should be`() {
        let text = SampleFrames.headphoneMotion.text.replacing("\"rotationRate\":", with: "\"rotatonRate\":")
        let rejection = Decoding.rejection(.headphoneMotion, .raw(text))
        #expect(rejection?.pointer == "/samples/rotationRate")
        #expect(rejection?.detail.contains("found \"rotatonRate\"") == true)
    }

    @Test func `No key is suggested that looks otherwise`() {
        let depth = Decoding.rejection(.submersion, Self.only("depth"))
        #expect(depth?.reason == .missingField)
        #expect(depth?.pointer == "")
        #expect(depth?.detail.contains("did you mean") == false)
        let axis = Decoding.rejection(.headphoneMotion, SampleFrames.headphoneMotion.with("/samples/gravity/x", nil))
        #expect(axis?.detail == "the field is missing")
    }

    @Test(arguments: ["measurements", "events", "temperatures", "errors"])
    func `A frame with an empty list is accepted`(list: String) throws {
        let frame = Self.only(list).with("/\(list)", "[]")
        #expect(try Decoding.submersion(frame) == DecodedSubmersion())
    }

    @Test func `Where no sensor location is given it is the default`() throws {
        for text in [nil, "null"] {
            let samples = try Decoding.motion(SampleFrames.headphoneMotion.with("/samples/sensorLocation", text))
            #expect(samples.sensorLocation == [.default])
        }
    }

    @Test func `A mapping names the key that looks like the one it needs`() throws {
        let producers = try ProducersText.producers(
            "mappings: [{name: m, topic: 'm/{device}', stream: submersion, fields: {depth: {pointer: /water/depth, unit: m}}}]")
        let rejection = ProducerDecoding.rejection("m/d1", #"{"water": {"Depth": 3}}"#, producers)
        #expect(rejection?.pointer == "/water/depth")
        #expect(rejection?.detail.contains("found \"Depth\", did you mean \"depth\"?") == true)
    }
}
