import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("What a device reports of its own depth sensor")
struct DepthReportTests {
    private func submersion(_ device: inout TestDevice, uptime: Double, _ body: String) -> RecordedMessage {
        device.frame("submersion", uptime: uptime, body)
    }

    @Test("an unchanged state is published with the first measurement of each interval of the device's clock")
    func refresh() {
        var device = TestDevice()
        var harness = PipelineHarness(settings: .with { $0.derive[SubmersionDerivation.self].refreshSeconds = 1 })
        let times = [100.2, 100.5, 100.8, 101.1, 101.4, 102.9, 103.0, 103.3]
        let states = times.flatMap { harness.send(device.depth(3, uptime: $0)) }.filter { $0.kind == "depth-state" }
        #expect(states.compactMap { $0.number("deviceTime") } == [100.2, 101.1, 102.9, 103.0])
    }

    @Test("a temperature out of the water is counted and not published")
    func temperatureOutOfWater() {
        var device = TestDevice()
        var harness = PipelineHarness()
        _ = harness.send(
            submersion(&device, uptime: 100, #""events":[{"timestamp":100,"state":"notSubmerged"}]"#))
        let warm =
            #""temperatures":[{"timestamp":101,"temperature":{"value":31,"unit":"C"},"temperatureUncertainty":{"value":1,"unit":"C"}}]"#
        #expect(harness.send(submersion(&device, uptime: 101, warm)).isEmpty)
        _ = harness.send(device.depth(3, uptime: 102))
        let cold = warm.replacing("101", with: "103").replacing("31", with: "14")
        #expect(harness.send(submersion(&device, uptime: 103, cold)).map(\.kind) == ["water-temperature"])
    }

    @Test("the lesser of entitlement and the device's own maximum depth holds for the boot")
    func statedMaximum() {
        var device = TestDevice()
        var harness = PipelineHarness()
        let first = harness.send(
            submersion(
                &device, uptime: 100,
                #""maximumDepth":{"value":6,"unit":"m"},"measurements":[{"timestamp":100,"depth":{"value":3,"unit":"m"}}]"#))
        #expect(first.first { $0.kind == "depth-state" }?.number("maximumDepth") == 6)
        let deeper = harness.send(device.depth(6.3, uptime: 101))
        #expect(deeper.first { $0.kind == "depth-state" }?.text("state") == "pastMaxDepth")
        let wrong = submersion(&device, uptime: 102, #""maximumDepth":{"value":0.5,"unit":"m"}"#)
        #expect(harness.send(wrong).map { $0.text("reason") } == ["invalidValue"])
    }

    @Test("the device's own maximum depth counts in a frame whose measurement is repeated")
    func maximumDepthRepeated() {
        var device = TestDevice()
        var harness = PipelineHarness()
        _ = harness.send(device.depth(3, uptime: 100))
        let repeated = #""maximumDepth":{"value":6,"unit":"m"},"measurements":[{"timestamp":100,"depth":{"value":3,"unit":"m"}}]"#
        _ = harness.send(submersion(&device, uptime: 100, repeated))
        let deeper = harness.send(device.depth(6.3, uptime: 101))
        #expect(deeper.first { $0.kind == "depth-state" }?.text("state") == "pastMaxDepth")
    }

    @Test("an error is published once, and ends with the next measurement")
    func errors() {
        var device = TestDevice()
        var harness = PipelineHarness()
        _ = harness.send(device.depth(3, uptime: 100))
        let error = #""errors":[{"timestamp":101,"code":103}]"#
        let messages = harness.send(submersion(&device, uptime: 101, error)).filter { $0.kind == "error/submersion" }
        #expect(messages.map { $0.number("code") } == [103])
        #expect(messages.first?.retain == true)
        #expect(harness.send(submersion(&device, uptime: 101, error)).isEmpty)
        let end = harness.send(device.depth(3, uptime: 102)).first { $0.kind == "error/submersion" }
        #expect(end?.isNull("code") == true)
        #expect(harness.send(submersion(&device, uptime: 103, #""errors":[{"timestamp":103,"code":103}]"#)).count == 1)
        var restarted = TestDevice("d1", boot: "b2", offset: device.offset + 200)
        let ended = harness.send(restarted.depth(3, uptime: 10)).filter { $0.kind == "error/submersion" }
        #expect(ended.map { $0.isNull("code") } == [true])
    }

    @Test("another error counts those since the last measurement, from the first of them on")
    func otherError() {
        var device = TestDevice()
        var harness = PipelineHarness()
        _ = harness.send(device.depth(3, uptime: 100))
        let reported = [
            submersion(&device, uptime: 101, #""errors":[{"timestamp":101,"code":103}]"#),
            submersion(&device, uptime: 102, #""errors":[{"timestamp":102,"code":103}]"#),
            submersion(&device, uptime: 103, #""errors":[{"timestamp":103,"code":112}]"#),
        ]
        let messages = harness.send(reported).filter { $0.kind == "error/submersion" }
        #expect(messages.map { $0.number("code") } == [103, 112])
        #expect(messages.map { $0.number("count") } == [1, 3])
        let (first, last) = (messages.first?.number("since") ?? 0, messages.last?.number("since") ?? 1)
        #expect(abs(first - last) < 1e-3)
    }

    @Test("a frame that could not be read does not end an error")
    func errorAndUnreadable() {
        var device = TestDevice()
        var harness = PipelineHarness()
        _ = harness.send(device.depth(3, uptime: 100))
        _ = harness.send(submersion(&device, uptime: 101, #""errors":[{"timestamp":101,"code":103}]"#))
        let unread = harness.send(
            submersion(&device, uptime: 101.5, #""measurements":[{"timestamp":101.5,"depth":{"value":"NaN","unit":"m"}}]"#))
        #expect(unread.contains { $0.kind == "depth-state" && $0.text("quality") == "fault" })
        #expect(!unread.contains { $0.kind == "error/submersion" })
        let end = harness.send(device.depth(3, uptime: 102)).first { $0.kind == "error/submersion" }
        #expect(end?.isNull("code") == true)
    }

    @Test("a device that was last known at the surface stays that, however long its sensor is in doubt")
    func doubtAtTheSurface() {
        var device = TestDevice()
        var harness = PipelineHarness()
        _ = harness.send([device.depth(0, uptime: 100), device.depth(0, uptime: 102)])
        var messages = harness.send(device.depth(-5, uptime: 103))
        messages += harness.tick(at: device.offset + 120)
        messages += harness.send(device.depth(-5, uptime: 121))
        let states = messages.filter { $0.kind == "depth-state" && $0.text("state") == "unknown" }
        #expect(states.count == 2 && states.allSatisfy { $0.text("previous") == "notSubmerged" }, "\(states)")
        #expect(!messages.contains { $0.kind == "alarm/contact-lost" })
    }

    @Test(
        "an error with the reason why depth cannot be measured refuses until the first measurement",
        arguments: [(109, "notAvailable"), (110, "notEntitled"), (111, "notAuthorized")])
    func refusingErrors(code: Int, reason: String) {
        var device = TestDevice()
        var harness = PipelineHarness()
        _ = harness.send(device.depth(3, uptime: 100))
        let refused = harness.send(submersion(&device, uptime: 101, #""errors":[{"timestamp":101,"code":\#(code)}]"#))
        let decision = refused.first { $0.kind == "access/submersion" }
        #expect(decision?.text("reason") == reason)
        #expect(decision?.number("code") == Double(code))
        #expect(refused.first { $0.kind == "depth-state" }?.text("state") == "unknown")
        let back = harness.send(
            submersion(
                &device, uptime: 102,
                #""errors":[{"timestamp":101.5,"code":\#(code)}],"measurements":[{"timestamp":102,"depth":{"value":3.1,"unit":"m"}}]"#
            ))
        #expect(back.first { $0.kind == "access/submersion" }?.flag("allowed") == true)
        #expect(back.contains { $0.kind == "depth-state" && $0.text("state") == "submergedDeep" })
    }
}
