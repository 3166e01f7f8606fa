import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Access to pedometer and altimeter")
struct PedometerAccessTests {
    private func counts(_ device: inout TestDevice, uptime: Double, events: Bool = false, data: Bool = true) -> RecordedMessage {
        let unix = device.offset
        let counted =
            #""data":[{"startDate":\#(unix),"endDate":\#(unix + uptime),"numberOfSteps":\#(Int(uptime)),"distance":\#(uptime)}]"#
        let pause = #""events":[{"type":"pause","date":\#(unix + uptime - 1)}]"#
        return device.frame(
            "pedometer", uptime: uptime, [data ? counted : nil, events ? pause : nil].compactMap(\.self).joined(separator: ","))
    }

    @Test("Without the pedometer everything is refused, with 109; without authorization with 105")
    func refused() {
        var device = TestDevice()
        var missing = PipelineHarness(policy: PipelineHarness.policy("d1", DevicePolicy(available: [.pedometer: false])))
        let access = missing.send(counts(&device, uptime: 100)).first { $0.kind == "access/pedometer" }
        #expect(access?.flag("allowed") == false && access?.number("code") == 109)
        device = TestDevice()
        var denied = PipelineHarness(policy: PipelineHarness.policy("d1", DevicePolicy(authorization: .denied)))
        #expect(denied.send(counts(&device, uptime: 101)).first { $0.kind == "access/pedometer" }?.number("code") == 105)
    }

    @Test("Without pedometer events, events alone are refused, and pauses are derived from the steps")
    func withoutEvents() {
        var device = TestDevice()
        var harness = PipelineHarness(policy: PipelineHarness.policy("d1", DevicePolicy(available: [.pedometerEvents: false])))
        let first = harness.send(counts(&device, uptime: 100, events: true))
        #expect(first.first { $0.kind == "access/pedometer" }?.flag("allowed") == true)
        #expect(first.first { $0.kind == "pace" }?.text("state") == "moving")
        #expect(harness.tick(at: device.offset + 106).contains { $0.kind == "pace" && $0.text("state") == "paused" })
        let only = harness.send(counts(&device, uptime: 107, events: true, data: false))
        #expect(only.first { $0.kind == "access/pedometer" }?.number("code") == 109)
    }

    @Test("The device's own status takes the capability away as well")
    func status() {
        var device = TestDevice()
        var harness = PipelineHarness()
        _ = harness.send(device.status(uptime: 90, #","available":{"pedometerEvents":false,"absoluteAltimeter":false}"#))
        let only = harness.send(counts(&device, uptime: 101, events: true, data: false))
        #expect(only.first { $0.kind == "access/pedometer" }?.flag("allowed") == false)
        let both = harness.send(
            device.frame(
                "altimeter", uptime: 102,
                #""samples":{"timestamp":[102],"relativeAltitude":[0]},"absolute":{"timestamp":[102],"altitude":[5],"accuracy":[1],"precision":[1]}"#
            ))
        #expect(both.first { $0.kind == "access/altimeter" }?.flag("allowed") == true)
        #expect(both.first { $0.kind == "altitude" }?.isNull("altitude") == true)
        let absolute = harness.send(
            device.frame(
                "altimeter", uptime: 103, #""absolute":{"timestamp":[103],"altitude":[5],"accuracy":[1],"precision":[1]}"#))
        #expect(absolute.first { $0.kind == "access/altimeter" }?.number("code") == 109)
    }

    @Test("Frames that are shuffled by less than three seconds give the same messages")
    func shuffled() {
        var device = TestDevice()
        let frames = (0..<60).map { second in
            counts(&device, uptime: 100 + Double(second), events: second == 30)
        }
        var random = SeededGenerator(seed: 3)
        var ordered = PipelineHarness()
        var mixed = PipelineHarness()
        let shuffled = frames.late(by: 3, using: &random)
        func content(_ messages: [DerivedJSON]) -> Set<String> {
            Set(messages.filter { ["pace", "segment"].contains($0.kind) }.map(\.lasting))
        }
        let end = device.offset + 900
        let expected = content(ordered.send(frames) + ordered.tick(at: end))
        #expect(expected.count > 10)
        #expect(content(mixed.send(shuffled) + mixed.tick(at: end)) == expected)
    }
}
