import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Payloads that mappings refuse", .serialized)
struct MappedHostileTests {
    private let producers: Producers

    init() throws { producers = try ProducersText.producers(try ProducersText.shipped()) }

    private static let depth =
        "mappings: [{name: m, topic: 'm/{device}', stream: submersion, layout: columns, "
        + "time: {pointer: /t, unit: s, clock: uptime}, fields: {depth: {pointer: /d, unit: m}}}]"

    @Test("The device that a topic names is found where the registry does not list it, so that what is kept of it can be erased")
    func unlisted() throws {
        var settings = PipelineHarness.settings
        settings.producers = try ProducersText.producers(Self.depth)
        let check = AdmissionCheck(policy: AccessPolicy(), settings: settings)
        #expect(check.device(of: InboundMessage(topic: "m/d1", payload: Array("{".utf8))) == DeviceID("d1"))
    }

    @Test(
        "Each fault has its reason and its place",
        arguments: [
            (#"{"t": [1, 2], "d": [3]}"#, RejectionReason.columnLength, "/d"),
            (#"{"t": [], "d": []}"#, .columnLength, "/t"),
            (#"{"t": [1, 2], "d": [3, null]}"#, .notFinite, "/d"),
            (#"{"t": [1, null], "d": [3, 4]}"#, .notFinite, "/t"),
            (#"{"t": [1, 2], "d": [3, "nan"]}"#, .notFinite, "/d/1"),
            (#"{"t": [1, 2], "d": [3, "1e999"]}"#, .notFinite, "/d/1"),
            (#"{"t": [1, 2], "d": [3, "deep"]}"#, .wrongType, "/d/1"),
            (#"{"t": [1, 2], "d": [3, "0x10"]}"#, .wrongType, "/d/1"),
            (#"{"t": [1, 2], "d": [3, ""]}"#, .notFinite, "/d"),
            (#"{"t": [1, 2], "d": [3, {}]}"#, .wrongType, "/d/1"),
            (#"{"t": [1, 2], "d": [3, true]}"#, .wrongType, "/d/1"),
            (#"{"t": [-1, 2], "d": [3, 4]}"#, .timeOutOfRange, "/t/0"),
            (#"{"t": [1, 9007199254.75], "d": [3, 4]}"#, .timeOutOfRange, "/t/1"),
            (#"{"t": [1, 2]}"#, .missingField, "/d"),
            (#"{"d": [1, 2]}"#, .missingField, "/t"),
            (#"[1, 2]"#, .missingField, "/t"),
            (#"{"t": [1], "t": [1], "d": [1]}"#, .duplicateKey, "/t"),
            (#"{"t": [1], "d": [NaN]}"#, .notFinite, "/d/0"),
            ("\u{FEFF}{}", .malformedJSON, ""),
            ("", .notFinite, ""),
        ])
    func faults(payload: String, reason: RejectionReason, pointer: String) throws {
        let rejection = ProducerDecoding.rejection("m/d1", payload, try ProducersText.producers(Self.depth))
        #expect(rejection?.reason == reason)
        #expect(rejection?.pointer == pointer)
    }

    @Test("More entries than are read, and a device that is none, are refused")
    func limits() throws {
        let producers = try ProducersText.producers(Self.depth)
        let many = (0..<300).map { "\($0)" }.joined(separator: ",")
        let rejection = ProducerDecoding.rejection("m/d1", #"{"t": [\#(many)], "d": [\#(many)]}"#, producers)
        #expect(rejection?.reason == .columnLength)
        var harness = PipelineHarness(producers: producers)
        let notAdmitted = harness.send(mapped("m/d:1", #"{"t": 1, "d": 1}"#, at: 1_763_749_000))
        #expect(notAdmitted.first?.text("reason") == "invalidTopic")
        #expect(harness.send(mapped("m/d1", #"{"t": 1, "d": 1}"#, at: 1_763_749_000, retain: true)).isEmpty)
        #expect(harness.pipeline.counters.retainedIgnored == 1)
    }

    @Test("Motion that cannot be is refused")
    func motion() throws {
        for (pointer, text, reason) in [
            ("/t", "[10, 10, 11]", RejectionReason.timestampOrder), ("/qw", "[0, 1, 1]", .invalidValue),
            ("/accX", "[null, null, null]", .missingField), ("/time/events", "[]", .missingField),
            ("/time/events", "[{\"event\": \"START\"}]", .missingField), ("/time", "{}", .missingField),
        ] {
            let rejection = ProducerDecoding.rejection(
                "phyphox/phone-1", MappedSamples.phyphox.with(pointer, text).text, producers)
            #expect(rejection?.reason == reason, "\(pointer)")
            if pointer == "/accX" { #expect(rejection?.pointer == pointer) }
        }
    }
}
