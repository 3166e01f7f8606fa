@testable import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("The profile of a dive")
struct DiveProfileTests {
    @Test("holds the deepest depth of each second")
    func seconds() {
        var recorder = DiveProfileRecorder(start: DeviceTime(100))
        for (time, depth) in [(100.0, 0.2), (100.4, 1), (100.8, 0.9), (101.2, 2), (102.5, 0.3)] {
            recorder.measure(depth, at: DeviceTime(time))
        }
        #expect(recorder.profile(until: DeviceTime(102.5)) == DiveProfile(interval: 1, depth: [1, 2, 0.3]))
        #expect(recorder.profile(until: DeviceTime(101.9)) == DiveProfile(interval: 1, depth: [1, 2]))
    }

    @Test("doubles its interval when 256 values are full, and keeps every extreme", arguments: [255.0, 256, 600, 5_000, 90_000])
    func doubles(length: Double) {
        var recorder = DiveProfileRecorder(start: DeviceTime(0))
        for second in stride(from: 0, through: length, by: 0.5) {
            recorder.measure(second == 200 ? 99 : 5, at: DeviceTime(second))
        }
        let profile = recorder.profile(until: DeviceTime(length))
        #expect(profile.depth.count <= 256 && profile.depth.count > 127)
        #expect(profile.depth.compactMap(\.self).max() == 99)
        #expect(profile.interval * Double(profile.depth.count) >= length)
        #expect(profile.depth[Int(200 / profile.interval)] == 99)
    }

    @Test("is null where a depth of the interval was withheld, or none was measured")
    func withheld() {
        var recorder = DiveProfileRecorder(start: DeviceTime(0))
        recorder.measure(3, at: DeviceTime(0))
        recorder.measure(4, at: DeviceTime(1))
        recorder.withhold(at: DeviceTime(1.5))
        recorder.measure(5, at: DeviceTime(3))
        #expect(recorder.profile(until: DeviceTime(3)).depth == [3, nil, nil, 5])
        recorder.measure(1, at: DeviceTime(256))
        #expect(recorder.profile(until: DeviceTime(256)).depth.prefix(2) == [nil, 5])
    }

    @Test("of a time beyond counting does not end the process")
    func far() {
        var recorder = DiveProfileRecorder(start: DeviceTime(0))
        recorder.measure(3, at: DeviceTime(0x1p53 / 1e6))
        #expect(recorder.profile(until: DeviceTime(0x1p53 / 1e6)).depth.count <= 256)
    }

    @Test("comes with the dive")
    func message() {
        var device = TestDevice()
        var harness = PipelineHarness()
        var messages: [DerivedJSON] = []
        for index in 0..<60 {
            let time = Double(index) * 0.5
            messages += harness.send(device.depth(max(0, 5 - abs(time - 10)), uptime: 100 + time))
        }
        let profile = messages.first { $0.kind == "dive" }?.fields["profile"] as? [String: Any]
        let depths = profile?["depth"] as? [Double]
        #expect(profile?["interval"] as? Double == 1)
        #expect(depths?.max() == 5)
        #expect(depths?.first.map { $0 < 1.5 } == true)
    }
}
