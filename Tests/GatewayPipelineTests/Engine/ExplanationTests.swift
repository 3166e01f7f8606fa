import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Explanations")
struct ExplanationTests {
    private func explain(
        _ topic: String, _ payload: String, retain: Bool = false, contentType: String? = nil,
        policy: AccessPolicy = AccessPolicy(unknown: .everything)
    ) throws -> Explanation {
        var settings = PipelineHarness.settings
        settings.producers = try ProducersText.producers(try ProducersText.shipped())
        return Explanation(
            InboundMessage(topic: topic, payload: Array(payload.utf8), retain: retain, contentType: contentType),
            settings: settings, policy: policy, at: GatewayTime(unix: UnixTime(1_763_749_000), monotonic: 0))
    }

    private func expect(
        _ explanation: Explanation, accepted: Bool = true, _ parts: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let text = explanation.lines.joined(separator: "\n")
        for part in parts {
            #expect(text.contains(part), "no '\(part)' in\n\(text)", sourceLocation: sourceLocation)
        }
        #expect(explanation.isAccepted == accepted, "\(text)", sourceLocation: sourceLocation)
    }

    @Test("A frame of the contract, stage by stage")
    func native() throws {
        expect(
            try explain("wearables/d1/in/submersion", SampleFrames.submersion.text),
            [
                "none, a topic of the contract", "d1, not in the registry",
                "boot b7f3, seq 42 of submersion, uptime 100.25 s",
                "decoded     submersion, in ", "depth 3.2 m, pressure 133 kPa, surface pressure 101.325 kPa",
                "temperature: 10 C, uncertain by 5 C", "allowed, to a depth of 40 m", "wearables/d1/out/depth-state (retained)",
            ])
    }

    @Test("A mapped scalar, a motion that is to be measured")
    func producers() throws {
        expect(
            try explain("buoy-1/sensor/water_pressure/state", "1325.5"),
            [
                "mappings", "buoy-1", "submersion, in hPa, kPa", "pressure 132.55 kPa, surface pressure 98 kPa",
                "boot unix, no seq", "buoy-1/out/depth-state",
            ])
        expect(
            try explain("phyphox/phone-1", MappedSamples.phyphox.text),
            ["in units that are to be measured", "waits for more samples", "nothing by this message alone"])
        expect(
            try explain("sensorlog/watch-1", MappedSamples.sensorLog.text),
            ["device-motion", "first gravity: 0.96, 0, -0.28 G", "allowed"])
    }

    @Test(
        "Raw motion of each device that the example file has",
        arguments: [
            ("phyphox-raw/phone-1", MappedSamples.phyphoxRaw, "rotation rate: 0, 0, 0 rad/s", "acceleration: 0, 0, -1 G"),
            (
                "imu/esp-1", MappedSamples.espHome, "rotation rate: -3.142, 0.007, 0.001 rad/s",
                "acceleration: -0.013, 0.006, -1 G"
            ),
            (
                "imu-columns/esp-2", MappedSamples.arduino, "rotation rate: -0.02, 0.5, 0 rad/s",
                "acceleration: -0.012, 0.006, -1 G"
            ),
            ("metawear/mms-1", MappedSamples.metaWear, "rotation rate: 1.571, -0.003, 0.001 rad/s", "-0.014, 0.021, -1.002 G"),
            ("movella/dot-1", MappedSamples.movella, "rotation rate: -0.006, 3.142, 0.001 rad/s", "0.011, -0.025, -1 G"),
        ])
    func raw(topic: String, payload: JSONText, rate: String, acceleration: String) throws {
        expect(
            try explain(topic, payload.text),
            ["decoded     device-motion", "raw: the gateway fuses it", "first \(rate)", acceleration, "check       allowed"])
    }

    @Test("Why a message is rejected is shown exactly")
    func rejections() throws {
        expect(
            try explain("wearables/d1/in/submersion", SampleFrames.submersion.with("/measurements/0/depth/unit", nil).text),
            accepted: false, ["rejected    unknownUnit", "/measurements/0/depth/unit", "the unit is missing"])
        expect(
            try explain("sensorlog/watch-1", MappedSamples.sensorLog.with("/motionGravityX", "\"x\"").text), accepted: false,
            ["rejected    wrongType", "at          /motionGravityX", "expected a number, found \"x\""])
        expect(
            try explain("wearables/d1/in/submersion", "{}", policy: AccessPolicy()), accepted: false,
            ["unknownDevice", "d1 is not in the registry"])
        expect(
            try explain("buoy-1/sensor/water_pressure/state", "1000", policy: AccessPolicy()), accepted: false,
            ["unknownDevice", "buoy-1 is not in the registry"])
        expect(try explain("nobody/knows", "{}"), accepted: false, ["invalidTopic", "2 levels where 4 were expected"])
        expect(try explain("wearables/d1/in/nothing", "{}"), accepted: false, ["unknownStream"])
        expect(try explain("wearables/d1/in/submersion", ""), accepted: false, ["emptyPayload"])
        expect(
            try explain("wearables/d1/in/submersion", SampleFrames.submersion.text, retain: true), accepted: false, ["ignored"])
        expect(
            try explain("wearables/d1/in/submersion", SampleFrames.submersion.text, contentType: "text/plain"), accepted: false,
            ["unsupportedContentType"])
        expect(
            try explain("wearables/d\u{1B}/in/submersion", "{}"), accepted: false, ["invalidTopic", "wearables/d?/in/submersion"])
    }

    @Test("A refusal by a check is shown with its code")
    func refused() throws {
        let policy = PipelineHarness.policy("d1", DevicePolicy())
        expect(
            try explain("wearables/d1/in/submersion", SampleFrames.submersion.text, policy: policy),
            ["d1, in the registry", "refused: notEntitled (110)", "wearables/d1/out/access/submersion"])
        expect(
            try explain("wearables/d1/in/batched-imu", SampleFrames.batchedIMU.text, policy: policy),
            ["accelerometer: 2 samples", "waits for a workout", "refused: notInSession (108)"])
    }

    @Test("Every stream is explained")
    func streams() throws {
        for (stream, frame) in SampleFrames.all {
            expect(try explain("wearables/d1/in/\(stream.rawValue)", frame.text), ["decoded"])
        }
        expect(try explain("wearables/d1/in/status", "", retain: true), ["what status reported before is cleared"])
    }
}
