import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

/// One payload that must be refused, and how.
private struct BadPayload: Sendable, CustomTestStringConvertible {
    var name: String
    var payload: String
    var reason: RejectionReason
    var pointer = ""

    var testDescription: String { name }

    init(_ name: String, _ payload: String, _ reason: RejectionReason, _ pointer: String = "") {
        self.name = name
        self.payload = payload
        self.reason = reason
        self.pointer = pointer
    }

    /// A submersion frame with one measurement, whose fields are `fields`.
    static func measurement(_ fields: String) -> String { frame(#""measurements":[{"timestamp":100\#(fields)}]"#) }

    static func frame(_ body: String) -> String {
        #"{"schema":"wearables/1","boot":"b1","seq":1,"uptime":101,\#(body)}"#
    }

    /// Of some reasons one or two; the tests of the decoders have the rules.
    static let payload: [BadPayload] = [
        BadPayload("empty", "", .emptyPayload),
        BadPayload("larger than 256 KiB", frame(#""x":"\#(String(repeating: "a", count: 262_145))""#), .payloadTooLarge),
        BadPayload(
            "nested 17 deep", #"{"x":"# + String(repeating: "[", count: 16) + String(repeating: "]", count: 16) + "}",
            .nestedTooDeep,
            "/x" + String(repeating: "/0", count: 15)),
        BadPayload("NaN", measurement(#","depth":{"value":NaN,"unit":"m"}"#), .notFinite, "/measurements/0/depth/value"),
        BadPayload(
            "a quoted NaN", measurement(#","depth":{"value":"NaN","unit":"m"}"#), .notFinite, "/measurements/0/depth/value"),
        BadPayload(
            "a key twice", measurement(#","depth":{"value":1,"unit":"m","value":9}"#), .duplicateKey,
            "/measurements/0/depth/value"),
        BadPayload("a trailing comma", frame(#""measurements":[],"#), .malformedJSON),
        BadPayload(
            "a look-alike in the boot", #"{"schema":"wearables/1","boot":"b\#u{0430}","seq":1,"uptime":101,"measurements":[]}"#,
            .invalidValue, "/boot"),
        BadPayload(
            "a text for a number", measurement(#","depth":{"value":"5","unit":"m"}"#), .wrongType, "/measurements/0/depth/value"),
        BadPayload(
            "a truth for a number", measurement(#","depth":{"value":true,"unit":"m"}"#), .wrongType, "/measurements/0/depth/value"
        ),
        BadPayload("no schema", #"{"boot":"b1","seq":1,"uptime":101}"#, .unknownSchema, "/schema"),
        BadPayload(
            "an unknown unit", measurement(#","depth":{"value":5,"unit":"fathom"}"#), .unknownUnit, "/measurements/0/depth/unit"),
        BadPayload("no seq", #"{"schema":"wearables/1","boot":"b1","uptime":101,"measurements":[]}"#, .missingField, "/seq"),
        BadPayload(
            "a sample beyond the uptime", frame(#""measurements":[{"timestamp":107,"depth":{"value":5,"unit":"m"}}]"#),
            .timeOutOfRange, "/measurements/0/timestamp"),
        BadPayload(
            "a sample beyond the resolution of ids",
            #"{"schema":"wearables/1","boot":"b1","seq":1,"uptime":9007199254,"measurements":[{"timestamp":9007199255}]}"#,
            .timeOutOfRange, "/measurements/0/timestamp"),
        BadPayload("no JSON at all", "hello", .unsupportedContentType),
    ]
}

@Suite("Bad input")
struct BadInputTests {
    @Test(
        "a bad payload is refused with its reason and place; the depth stays, and is in doubt where it was no number",
        arguments: BadPayload.payload)
    private func payload(_ bad: BadPayload) throws {
        var device = TestDevice()
        var harness = PipelineHarness()
        let before = device.depth(5, uptime: 100)
        _ = harness.send(before)
        let messages = harness.send(device.raw("submersion", at: before.at + 0.1, bad.payload))
        #expect(messages.map(\.kind) == (bad.reason == .notFinite ? ["rejected", "depth-state"] : ["rejected"]))
        if bad.reason == .notFinite {
            #expect(messages.last?.text("quality") == "fault")
            #expect(messages.last?.text("state") == "submergedDeep")
        }
        #expect(messages.first?.text("reason") == bad.reason.rawValue)
        #expect(messages.first?.text("pointer") == bad.pointer)
        #expect(messages.first?.text("detail")?.isEmpty == false)
        #expect(harness.pipeline.counters.rejected == [bad.reason: 1])
    }

    @Test("a rejected frame is named by boot and seq as far as they can be read")
    func header() throws {
        let device = TestDevice()
        let answers =
            [
                (BadPayload.measurement(#","depth":5"#), "b1", 1), (#"{"schema":"x","boot":"b2","seq":7}"#, "b2", 7),
                (#"{"boot":"b3","seq":-7}"#, "b3", nil), (#"{"boot":"b/","seq":8}"#, nil, 8), ("{}", nil, nil), ("{", nil, nil),
            ] as [(String, String?, Double?)]
        for (payload, boot, sequence) in answers {
            var harness = PipelineHarness()
            let message = try #require(harness.send(device.raw("submersion", at: 1_763_749_000, payload)).first)
            #expect(message.kind == "rejected")
            #expect(message.text("boot") == boot)
            #expect(message.number("seq") == sequence)
        }
    }

    @Test("a frame that was rejected after it was read is named by boot and seq")
    func headerAfterReading() throws {
        var harness = PipelineHarness(settings: .with { $0.maximumAgeSeconds = 60 })
        var device = TestDevice()
        var old = device.depth(3, uptime: 100, seq: 4)
        old.at += 100
        let tooOld = try #require(harness.send(old).first { $0.kind == "rejected" })
        #expect(tooOld.text("boot") == "b1" && tooOld.number("seq") == 4)
        let dated = device.frame(
            "submersion", uptime: 200, seq: 5, #""measurements":[{"date":1600000000,"depth":{"value":1,"unit":"m"}}]"#)
        let late = try #require(harness.send(dated).first { $0.kind == "rejected" })
        #expect(late.text("boot") == "b1" && late.number("seq") == 5)
    }

    @Test(
        "no value of a depth, however wrong, makes the state shallower",
        arguments: ["-1", "-0.0", "-5", "1e308", "-1e308", "1e-308", "0.5", "0", "null"])
    func absurdDepth(value: String) {
        var device = TestDevice()
        var harness = PipelineHarness()
        _ = harness.send(device.depth(20, uptime: 100))
        let messages = harness.send(
            device.frame(
                "submersion", uptime: 100.3, #""measurements":[{"timestamp":100.3,"depth":{"value":\#(value),"unit":"m"}}]"#))
        for message in messages where message.kind == "depth-state" {
            #expect((message.number("rawValue") ?? 0) >= 300, "\(message)")
        }
    }

    @Test("small negative depths are the surface, and minus zero is zero")
    func surfaceNoise() {
        var device = TestDevice()
        var harness = PipelineHarness()
        _ = harness.send(device.frame("submersion", uptime: 99, #""events":[{"timestamp":99,"state":"notSubmerged"}]"#))
        let frame = device.frame(
            "submersion", uptime: 100,
            #""measurements":[{"timestamp":100,"depth":{"value":-0.0,"unit":"m"}},{"timestamp":99.7,"depth":{"value":-0.4,"unit":"m"}}]"#
        )
        let states = harness.send(frame).filter { $0.kind == "depth-state" }
        #expect(states.allSatisfy { $0.text("quality") == "valid" })
    }

    @Test("frames older than the limit are refused, but for status and workout")
    func tooOld() {
        var harness = PipelineHarness(settings: .with { $0.maximumAgeSeconds = 60 })
        var device = TestDevice()
        var old = device.depth(3, uptime: 100)
        old.at += 100
        #expect(harness.send(old).map { $0.text("reason") } == ["tooOld"])
        var status = device.status(uptime: 100)
        status.at += 3600
        #expect(harness.send(status).contains { $0.kind == "connection/device" })
    }

    @Test("a wall clock that was set ahead and is not believed makes no frame too old")
    func notTooOld() {
        var harness = PipelineHarness(settings: .with { $0.maximumAgeSeconds = 60 })
        var device = TestDevice()
        var frame = device.depth(3, uptime: 100)
        frame.at += 30 * 86_400
        harness.pipeline.clockLead = 30 * 86_400
        #expect(!harness.send(frame).contains { $0.kind == "rejected" })
    }

    @Test(
        "a topic of another layout, or an invalid id, leads to no topic",
        arguments: [
            "wearables/d1/in", "wearables/d1/out/depth-state", "wearables//in/submersion", "wearables/d1/in/submersion/x",
            "other/d1/in/submersion", "/wearables/d1/in/submersion", "wearables/a b/in/submersion", "wearables/a.b/in/submersion",
            "wearables/\u{0430}/in/submersion", "wearables/<img>/in/submersion", "wearables/../in/submersion",
            "wearables/\(String(repeating: "a", count: 65))/in/submersion", "$SYS/d1/in/submersion", "wearables/$d/in/submersion",
        ])
    func topics(topic: String) {
        var harness = PipelineHarness()
        var message = TestDevice().raw("submersion", at: 1000, "{}")
        message.message.topic = topic
        let messages = harness.send(message)
        #expect(messages.map(\.topic) == ["fathom/test/rejected"])
        #expect(messages.first?.text("reason") == "invalidTopic")
        #expect(harness.pipeline.deviceCount == 0)
    }

    @Test("an id of 64 characters is the longest")
    func longestID() {
        let id = String(repeating: "a", count: 64)
        var device = TestDevice(id)
        var harness = PipelineHarness()
        #expect(harness.send(device.depth(3, uptime: 100)).contains { $0.topic == "wearables/\(id)/out/depth-state" })
    }

    @Test("an unknown stream of a known device is published as rejected of the device")
    func unknownStream() {
        var harness = PipelineHarness()
        let messages = harness.send(TestDevice().raw("heart-rate", at: 1000, "{}"))
        #expect(messages.map(\.topic) == ["wearables/d1/out/rejected"])
        #expect(messages.first?.text("reason") == "unknownStream")
    }

    @Test("retained telemetry is ignored and counted")
    func retained() {
        var device = TestDevice()
        var harness = PipelineHarness()
        var frame = device.depth(3, uptime: 100)
        frame.message.retain = true
        #expect(harness.send(frame).isEmpty)
        #expect(harness.pipeline.counters.retainedIgnored == 1)
    }

    @Test("a hundred thousand unknown devices leave no state", .slow)
    func strangers() {
        var harness = PipelineHarness(policy: AccessPolicy())
        var published = 0
        for index in 0..<100_000 {
            published +=
                harness.send(TestDevice("stranger-\(index)").raw("submersion", at: 1000 + Double(index) / 10_000, "{}")).count
        }
        #expect(harness.pipeline.deviceCount == 0)
        #expect(published <= 11)
        #expect(harness.admission.rejected == [.unknownDevice: 100_000])
    }
}
